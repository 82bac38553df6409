/** A built-in server with one promise broken: what the self-test is for. @module */
import { notes } from "../../servers/notes.ts";
import { type Handler, type Message, serveStdio } from "../../servers/serve.ts";
import { tickets } from "../../servers/tickets.ts";

type Spoil = (next: Handler) => Handler;

const changed =
  (method: string, change: (result: Message) => void): Spoil => (next) => async (message, out) => {
    const reply = await next(message, out);
    if (message.method === method && reply?.result) change(reply.result);
    return reply;
  };

const SABOTAGES: Readonly<Record<string, Handler>> = {
  "notes-legacy": notes({ dialect: "legacy" }),
  "notes-one-page": changed("tools/list", (result) => delete result.nextCursor)(notes()),
  "notes-no-hints": changed("tools/list", (result) => {
    for (const tool of result.tools) delete tool.annotations;
  })(notes()),
  "notes-no-search": changed("tools/call", (result) => {
    Object.assign(result, { isError: true, content: [] });
  })(notes()),
  "tickets-any-date": changed("tools/call", (result) => {
    result.isError = false;
  })(tickets()),
  "tickets-legacy": tickets({ dialect: "legacy" }),
};

if (import.meta.main) await serveStdio(SABOTAGES[Deno.args[0]!]!);
