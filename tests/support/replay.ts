/** A server played from a trace: says what it said, each time when it has heard as much as then. @module */
const [path = "", alias] = Deno.args;
const records = Deno.readTextFileSync(path).trimEnd().split("\n").map((line) => JSON.parse(line));
const { process } = records.find(({ kind, server }) => kind === "process" && server === alias);
const lines = Deno.stdin.readable
  .pipeThrough(new TextDecoderStream())
  .pipeThrough(
    new TransformStream<string, string>({
      transform(chunk, out) {
        for (const _ of chunk.matchAll(/\n/g)) out.enqueue("a line");
      },
    }),
  )
  .getReader();
for (const { kind, line } of records.filter((record) => record.process === process)) {
  if (kind === "sent") await lines.read();
  if (kind === "received") await Deno.stdout.write(new TextEncoder().encode(line + "\n"));
}
while (!(await lines.read()).done);
