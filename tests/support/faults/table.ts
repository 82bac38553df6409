/** docs/faults.md, made from what happened. @module */
import { table } from "../markdown.ts";
import { type Phase, PHASES, type Row } from "./row.ts";
import type { Met } from "./run.ts";

const HEAD = `# Faults

What servers do wrong, and what comes of it. Each line is a run of \`fusebox ask\` over a server that
misbehaves (some lines share a run) and a healthy one. \`tests/e2e/faults_test.ts\` makes this file
and fails when it differs from what happened; with \`UPDATE_DOCS=1\` it writes it. Don't edit it by
hand.

Of every line holds:

- The run ends with an answer and exit code 0, in bounded time.
- The healthy server is called beside the faulty one in every turn, and gives its own answers.
- No process is left. (What leaves its process group by \`setsid\` is out of our reach.)
- Nothing on stderr or in the JSON steers a terminal, and stderr stays short.
- The code is the one in \`offline\` and \`calls\` of the run's \`--json\`; of those with a \`*\` that can't
  be attached, all in one configuration, \`servers --json\` has the same.

**As** is what \`servers/flaky.ts\` was told to be, or what was configured instead. A dash for a code:
the call was answered. What is marked \`*\` came to the same in lazy and in forward mode, where the
server is attached in the midst of the run.
`;

const ABOUT: Readonly<Record<Phase, string>> = {
  Spawn: "Nothing runs, so nothing is waited for.",
  Handshake: "It runs, and the handshake fails. The last ones get through it after all.",
  List:
    "Its handshake is done, and its list of tools is missing, broken, or more than anybody wants.",
  Call:
    `Its tools are offered, and one of them is called. Unless the line says otherwise the next call to
the same server is answered: it was started again where it had to be.`,
  Fuse:
    `The same call four times. Three failures in a row open the server's fuse, and then calls are refused
at once, until a trial is due.`,
  Close:
    "It has done its work and does not leave. The answer is printed before anybody waits for that.",
};

const COLUMNS = ["A server that …", "As", "Code", "Why"];

export function render(met: ReadonlyMap<Row, Met>): string {
  const sections = PHASES.map((phase) => {
    const rows = [...met].filter(([row]) => row.phase === phase);
    return `\n## ${phase}\n\n${ABOUT[phase]}\n\n` +
      table([COLUMNS, ...rows.map(([row, it]) => cells(row, it))]);
  });
  return HEAD + sections.join("");
}

function cells({ does, server, everyMode, note, again = [], thenCode }: Row, met: Met): string[] {
  const { said, codes: [code] } = met;
  const told = [
    ...code === undefined ? [] : [why(said)],
    ...thenCode !== undefined && again.length === 0 ? ["the next call has the same end"] : [],
    ...note === undefined ? [] : [note],
  ];
  const last = again.at(-1);
  return [
    everyMode ? `${does} *` : does,
    typeof server === "string" ? server && `\`${server}\`` : server.shown,
    `${named(code)}${last !== code && again.length > 0 ? `, then ${named(last)}` : ""}`,
    told.join("; ") || "its tools answer",
  ];
}

function named(code: string | undefined): string {
  return code === undefined ? "–" : `\`${code}\``;
}

/** The first sentence, without what could not be done: that is the same on every line. */
function why(said: string): string {
  const [sentence] = /^.*?(?=\.(?: [A-Z]|$)|$)/.exec(said)!;
  return sentence.replace(
    /^(?:Cannot \w+|Lost|Left|The server) "[^"]*"(?: alone|: Cannot.*?:|:)+ /,
    "",
  );
}
