/** Writes docs/configuration.md from the schema: `deno run -A scripts/config_reference.ts`. @module */

// deno-lint-ignore no-explicit-any -- a JSON Schema, walked by key
type Schema = any;

const HEAD = `# Configuration reference

Every key that a configuration file may hold, with its default. Made from
[fusebox.schema.json](fusebox.schema.json) by \`scripts/config_reference.ts\`; an editor that knows
JSON Schema completes and checks a file that names it: \`"$schema": "…/fusebox.schema.json"\` in JSON,
\`# yaml-language-server: $schema=…/fusebox.schema.json\` in YAML.

**Which files are read:** those of \`-c\`; else \`$FUSEBOX_CONFIG\`; else your own
(\`~/.config/fusebox/config.yaml\`; \`%APPDATA%\\fusebox\\config.yaml\` on Windows) together with the
project file of the current folder, if you trust it ([security](security.md#project-files)). Lists of
several files add up, of single values the last one counts, and an alias may be given only once. YAML
and JSON mean the same; JSON may hold comments. All mistakes are told at once, with file and line.

\`\`\`yaml
model: offline                # or anthropic/…, openai/…, ollama/…, script:FILE
servers:
  notes:
    command: fusebox          # as a command, "fusebox" is always this very program
    args: [serve-demo, notes]
    env: { NOTES_TOKEN: "\${NOTES_TOKEN:-none}" }  # \${VAR} must be set, \${VAR:-default} need not
    description: Personal notes
    tools: { allow: ["*"], deny: ["delete_*"] }   # by the server's own names
    limits: { handshake: 30s, list: 30s, idle: 60s, cap: 10m }
  broken:
    command: /nonexistent     # costs nothing but itself
allow: ["notes.*"]            # calls that need no question
deny: ["*.drop_*"]            # hidden and refused, whatever else says yes
limits: { start: 15s }        # a run waits no longer; other limits may stand here, for all
\`\`\`

**Values.** A duration is \`500ms\`, \`30s\`, \`1m30s\` or \`2h\`, at most \`24h\`; a size counts characters:
\`50000\`, \`50k\`, \`1.5m\`. Patterns are \`alias.tool\` with \`*\` for any characters; \`notes\` means
\`notes.*\`. \`\${VAR}\` is looked up when the server is started: one that is not set costs that server
alone.

**What a server sees** of your environment: \`HOME\`, \`PATH\`, \`USER\`, \`LOGNAME\`, \`SHELL\`, \`TERM\`,
\`LANG\`, \`LC_*\`, \`TMPDIR\`, \`XDG_*\`, proxy and CA variables (on Windows their counterparts), and what
\`env\` gives it. No token of yours is among them. How the secrets that you do give are kept is in
[security](security.md#secrets).

**Files of other clients** (\`mcpServers\`, or \`servers\` as VS Code writes it) work as they are. Odd names
are made fit: \`My Notes\` is called \`my-notes\`. What a file restricts (\`disabledTools\`, \`excludeTools\`,
\`includeTools\`, \`disabled\`) holds here too; what it permits (\`alwaysAllow\`, \`autoApprove\`, \`trust\`)
does not. A \`timeout\` is not taken over, for some mean seconds and some milliseconds, nor is an
\`envFile\`. A line says so for each.

Which calls ask first is in [security](security.md#approvals), what \`pins\` holds back in
[security](security.md#pins), how \`fuse\` and \`limits\` work in [failures](failures.md).
`;

/** Mappings that have a section of their own, by their path. */
const SECTIONS: readonly (readonly [title: string, path: readonly string[], note?: string])[] = [
  ["At the top", []],
  ["\`api\`", ["properties", "api"]],
  ["A server", ["$defs", "server"], "Under \`servers\`, by your own name for it."],
  ["\`tools\` of a server", ["$defs", "server", "properties", "tools"]],
  ["\`limits\`", ["$defs", "limits"], "Of a server, or at the top for all of them."],
  ["\`limits\` at the top alone", ["properties", "limits"]],
  ["\`fuse\`", ["$defs", "fuse"], "Of a server, or at the top for all of them."],
];

/** The page for this schema. */
export function reference(schema: Schema): string {
  const sections = SECTIONS.map(([title, path, note]) => {
    const found = path.reduce((at, key) => at[key], schema);
    const isOfTop = path[0] === "properties" && path[1] === "limits";
    const rows = Object.entries<Schema>(found.properties)
      // What is written once stands once.
      .filter(([key, value]) =>
        !(isOfTop && value.$ref?.startsWith("#/$defs/limits/")) && key !== "$schema"
      )
      .map(([key, value]) => row(key, value, schema));
    const table = ["| key | what it does | default |", "| --- | --- | --- |", ...rows].join("\n");
    return `## ${title}\n\n${note ? `${note}\n\n` : ""}${table}\n`;
  });
  return `${HEAD}\n${sections.join("\n")}`;
}

function row(key: string, value: Schema, schema: Schema): string {
  const target = value.$ref === undefined ? {} : resolve(value.$ref, schema);
  const shown = { ...target, ...value };
  const kind = kindOf(value, shown);
  const fallback = shown.default === undefined ? "–" : `\`${said(shown.default)}\``;
  return `| \`${key}\`${kind} | ${cell(shown.description)} | ${fallback} |`;
}

function kindOf(value: Schema, shown: Schema): string {
  if (value.$ref?.endsWith("/duration") || shown.$ref?.endsWith("/duration")) return ", a duration";
  if (value.$ref?.endsWith("/size") || shown.$ref?.endsWith("/size")) return ", a size";
  if (shown.enum) return `: ${shown.enum.map((it: string) => `\`${it}\``).join(", ")}`;
  return "";
}

function resolve(ref: string, schema: Schema): Schema {
  return ref.slice(2).split("/").reduce((at, key) => at[key], schema);
}

function said(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}

if (import.meta.main) {
  const folder = new URL("../docs/", import.meta.url);
  const schema = JSON.parse(await Deno.readTextFile(new URL("fusebox.schema.json", folder)));
  const page = new URL("configuration.md", folder);
  await Deno.writeTextFile(page, reference(schema));
  await new Deno.Command(Deno.execPath(), { args: ["fmt", "--quiet", page.pathname] }).output();
}
