/** Writes docs/configuration.md from the schema: `deno run -A scripts/config_reference.ts`. @module */

// deno-lint-ignore no-explicit-any -- a JSON Schema, walked by key
type Schema = any;

const HEAD = `# Configuration reference

Generated from [fusebox.schema.json](fusebox.schema.json) by \`scripts/config_reference.ts\`. Editors
that know JSON Schema complete and check a file that names it: \`"$schema": "…/fusebox.schema.json"\`
in JSON, \`# yaml-language-server: $schema=…/fusebox.schema.json\` in YAML.

Read are the \`-c\` files, else \`$FUSEBOX_CONFIG\`, else your own file
(\`~/.config/fusebox/config.yaml\`; \`%APPDATA%\\fusebox\` on Windows) and a project file that you trust
([security](security.md#project-files)). Of several files lists add up, and of single values the last
one counts; an alias may be given once. YAML and JSON mean the same; JSON may hold comments. All that
is wrong is told at once, with file and line.

\`\`\`yaml
model: offline                # or anthropic/…, openai/…, ollama/…, script:FILE
servers:
  notes:
    command: fusebox          # as a command, "fusebox" is always this very program
    args: [serve-demo, notes]
    env: { NOTES_TOKEN: "\${NOTES_TOKEN:-none}" }  # \${VAR} must be set, \${VAR:-default} need not
    description: Personal notes
    tools: { allow: ["*"], deny: ["delete_*"] }   # raw tool names
    limits: { handshake: 30s, list: 30s, idle: 60s, cap: 10m }
  broken:
    command: /nonexistent     # costs nothing but itself
allow: ["notes.*"]            # calls that need no question
deny: ["*.drop_*"]            # hidden and refused, whatever else says yes
limits: { start: 15s }        # defaults for all servers may stand here too
\`\`\`

A server sees \`HOME\`, \`PATH\`, \`USER\`, \`LOGNAME\`, \`SHELL\`, \`TERM\`, \`LANG\`, \`LC_*\`, \`TMPDIR\`, \`XDG_*\`,
proxy and CA variables (on Windows their kin), and what \`env\` gives it. No token of yours is among
them. A secret that you give a server is in no line, error, report or file of ours, even where the
server says it back: [security](security.md#secrets).

Patterns are \`alias.tool\` with \`*\` for any characters; \`notes\` means \`notes.*\`. Which calls ask
first is in [security](security.md#approvals), what \`pins\` holds back in
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
