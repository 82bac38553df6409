/** Faults of discretion: a server that repeats what it was trusted with. @module */
import { errorReply } from "../serve.ts";
import { refuses, says, type Tool } from "../server.ts";
import type { Box, Fault } from "./fault.ts";

const ANY = { type: "object", properties: {}, additionalProperties: true };

/** The secret as it is, and in the forms in which one comes along by accident. */
function forms(secret: string): string {
  const base64 = new TextEncoder().encode(secret).toBase64();
  const basic = btoa(unescape(encodeURIComponent(`user:${secret}`)));
  const json = JSON.stringify(JSON.stringify({ secret }));
  return `I hold ${secret}, ${json}, ${base64}, ${basic}, ${encodeURIComponent(secret)}.`;
}

function tools(secret: string, box: Box): Tool[] {
  const said = forms(secret);
  const tool = (name: string, run: Tool["run"]): Tool => ({
    name,
    title: said,
    description: said,
    inputSchema: {
      ...ANY,
      properties: { about: { type: "string", description: said, default: secret } },
    },
    run,
  });
  return [
    tool("leak", (_, call) => {
      call.progress(1, 2, said);
      box.log(`leak: ${said}\n`);
      return says(said, { secret, said });
    }),
    tool("leak_no", () => refuses(said)),
    tool("leak_die", () => {
      box.log(`leak: ${said}\n`);
      return box.exit(3);
    }),
    tool("leak_error", () => says("replaced by an error")),
    tool(`is_${secret}`, () => says(said)),
    // Held back, for it has no schema.
    { ...tool(`bad_${secret}`, () => says(said)), inputSchema: said as unknown as typeof ANY },
  ];
}

export const LEAK: Record<string, Fault> = {
  leak: {
    about: "says the value of the variable VAR wherever a server can say anything",
    arg: "VAR",
    hooks(arg, box) {
      const secret = box.env()[arg];
      if (!secret) throw new Error(`the variable ${arg} is not set`);
      const said = forms(secret);
      return {
        start() {
          box.log(`leak: ${said}\n`);
          box.print(`${said}\n`);
        },
        setup(description) {
          Object.assign(description, {
            name: said,
            version: said,
            title: said,
            instructions: said,
          });
          description.tools.push(...tools(secret, box));
        },
        handle: (next) => async (message, out) => {
          out?.({ jsonrpc: "2.0", method: "notifications/message", params: { data: said } });
          if (message.params?.name === "leak_error") {
            return errorReply(message.id, -32000, said, { secret, said });
          }
          return await next(message, out);
        },
      };
    },
  },
  "leak-at-start": {
    about: "writes the value of the variable VAR to stderr and exits with 3",
    arg: "VAR",
    hooks: (arg, box) => ({
      start() {
        box.log(`leak: ${forms(box.env()[arg] ?? "nothing")}\n`);
        box.exit(3);
      },
    }),
  },
};
