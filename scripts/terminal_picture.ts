/** Writes docs/terminal.svg from a real run on a pseudo-terminal: `deno run -A scripts/terminal_picture.ts`. @module */

/** What is typed, in a folder that holds a configuration with two good servers and two bad ones. */
const COMMANDS = [
  'fusebox "Which ticket is about the certificate?"',
  "fusebox servers",
  "fusebox call notes.read_note id=n-1 | head -1",
];

const CONFIG = `servers:
  notes: { command: fusebox, args: [serve-demo, notes] }
  tickets: { command: fusebox, args: [serve-demo, tickets] }
  weather: { command: weather-server }
  wiki: { command: sh, args: [-c, "echo 'no index' >&2; exit 1"] }
`;

const COLUMNS = 104;
const COLOURS: Readonly<Record<string, string>> = {
  "2": "#8b949e",
  "31": "#ff7b72",
  "32": "#7ee787",
  "33": "#e3b341",
  "36": "#79c0ff",
  "1": "#ffffff",
};
const PLAIN = "#d0d7de";
const [LINE, CHAR, PAD] = [19, 8.1, 18];

interface Piece {
  text: string;
  colour: string;
}

/** What a terminal shows in the end: carriage returns and erasures done, colours kept, long lines wrapped. */
export function screenOf(raw: string): Piece[][] {
  const lines: Piece[][] = [[]];
  let colour = PLAIN;
  // deno-lint-ignore no-control-regex -- ESC opens a sequence
  for (const [part] of raw.matchAll(/\x1b\[[0-9;?]*[A-Za-z]|\r|\n|[^\x1b\r\n]+|\x1b/g)) {
    if (part === "\n") lines.push([]);
    else if (part === "\r") continue;
    else if (part.startsWith("\x1b[") && part.endsWith("m")) {
      colour = COLOURS[part.slice(2, -1)] ?? PLAIN;
    } else if (part.startsWith("\x1b[") && part.endsWith("K")) lines[lines.length - 1] = [];
    else if (!part.startsWith("\x1b")) lines.at(-1)!.push({ text: part, colour });
  }
  return lines.flatMap(wrapped);
}

function wrapped(line: Piece[]): Piece[][] {
  const rows: Piece[][] = [[]];
  let left = COLUMNS;
  for (const { text, colour } of line) {
    for (let rest = [...text]; rest.length > 0;) {
      const fits = rest.slice(0, left);
      rows.at(-1)!.push({ text: fits.join(""), colour });
      left -= fits.length;
      rest = rest.slice(fits.length);
      if (left === 0 && rest.length > 0) {
        rows.push([]);
        left = COLUMNS;
      }
    }
  }
  return rows;
}

export function picture(rows: readonly Piece[][], title: string): string {
  const width = Math.round(COLUMNS * CHAR + 2 * PAD);
  const height = rows.length * LINE + 2 * PAD + 26;
  const text = rows.map((row, at) => {
    const spans = row.map(({ text, colour }) => `<tspan fill="${colour}">${escaped(text)}</tspan>`);
    return `<text x="${PAD}" y="${PAD + 36 + at * LINE}" xml:space="preserve">${
      spans.join("")
    }</text>`;
  });
  const dots = ["#ff5f57", "#febc2e", "#28c840"].map((fill, at) =>
    `<circle cx="${PAD + 6 + at * 18}" cy="17" r="5.5" fill="${fill}"/>`
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${
    escaped(title)
  }" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13.5">
<rect width="${width}" height="${height}" rx="9" fill="#0d1117"/>
${dots.join("")}
${text.join("\n")}
</svg>
`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/** Runs a command of the shell on a pseudo-terminal and returns all that came. */
async function onTerminal(command: string, cwd: string, env: Record<string, string>) {
  const { stdout } = await new Deno.Command("script", {
    args: ["-qfec", `stty cols 400; ${command}`, "/dev/null"],
    cwd,
    clearEnv: true,
    env,
    stdin: "null",
  }).output();
  return new TextDecoder().decode(stdout);
}

if (import.meta.main) {
  const main = new URL("../main.ts", import.meta.url).pathname;
  const home = await Deno.makeTempDir();
  try {
    await Deno.mkdir(`${home}/bin`);
    const self = `#!/bin/sh\nexec "${Deno.execPath()}" run -A --quiet "${main}" "$@"\n`;
    await Deno.writeTextFile(`${home}/bin/fusebox`, self, { mode: 0o755 });
    await Deno.writeTextFile(`${home}/fusebox.yaml`, CONFIG);
    const env = {
      HOME: home,
      PATH: `${home}/bin:/usr/bin:/bin`,
      TERM: "xterm-256color",
      LANG: "C.UTF-8",
      FUSEBOX_CONFIG: `${home}/fusebox.yaml`,
      DENO_DIR: Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`,
    };
    let raw = "";
    for (const command of COMMANDS) {
      const shown = await onTerminal(command, home, env);
      raw += `\x1b[32m$\x1b[0m \x1b[1m${command}\x1b[0m\n${shown.trimEnd()}\n\n`;
    }
    const rows = screenOf(raw.trimEnd());
    const file = new URL("../docs/terminal.svg", import.meta.url);
    await Deno.writeTextFile(file, picture(rows, "A run of fusebox in a terminal"));
  } finally {
    await Deno.remove(home, { recursive: true });
  }
}
