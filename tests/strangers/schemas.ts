/** The official schemas as a program: `schemas.ts CORE` reads frames, a line each, and says what is wrong. @module */
const [core = ""] = Deno.args;
const official = await import(core);

/** What a modern request carries, where it does: the package has no schema of the whole envelope. */
const ENVELOPE = {
  "io.modelcontextprotocol/clientInfo": official.ImplementationSchema,
  "io.modelcontextprotocol/clientCapabilities": official.ClientCapabilitiesSchema,
};

// deno-lint-ignore no-explicit-any -- schemas of a package that is named at run time
type Schema = any;

/** By method, what a client may ask, and what it may say unasked. */
const [CALLS, NOTICES] = [official.ClientRequestSchema, official.ClientNotificationSchema].map((
  { options },
) => new Map<string, Schema>(options.map((it: Schema) => [it.shape.method.value, it])));

/** Every schema that a frame of a client's must pass, by name. */
function schemasFor(frame: Schema): [name: string, schema: Schema, value: unknown][] {
  const message: [string, Schema, unknown] = [
    "JSONRPCMessage",
    official.JSONRPCMessageSchema,
    frame,
  ];
  if (frame.method !== undefined) {
    const meta = frame.params?._meta ?? {};
    const envelope = Object.entries(ENVELOPE).filter(([key]) => key in meta).map((
      [key, schema],
    ): [string, Schema, unknown] => [key, schema, meta[key]]);
    const known = "id" in frame ? CALLS! : NOTICES!;
    return [message, [frame.method, known.get(frame.method), frame], ...envelope];
  }
  if ("error" in frame) return [message];
  return [message, ["ClientResult", official.ClientResultSchema, frame.result]];
}

function problemsOf(line: string): string[] {
  const found: string[] = [];
  for (const [name, schema, value] of schemasFor(JSON.parse(line))) {
    if (!schema) found.push(`${name}: no client says this`);
    else {
      const { error } = schema.safeParse(value);
      if (error) found.push(`${name}: ${error.message.replace(/\s+/g, " ")}`);
    }
  }
  return found.map((problem) => `${problem} in ${line.trim()}`);
}

const input = await new Response(Deno.stdin.readable).text();
const lines = input.split("\n").filter((line) => line !== "");
await new Response(JSON.stringify({ looked: lines.length, problems: lines.flatMap(problemsOf) }))
  .body!.pipeTo(Deno.stdout.writable);
