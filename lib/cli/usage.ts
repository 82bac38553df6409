/** What `COMMAND --help` prints: how that command is called. @module */
import type { Command } from "./args.ts";

/** `ask` is what all of `--help` is about. */
export const USAGE: Readonly<Record<Exclude<Command, "ask">, string>> = {
  tools: `fusebox tools                  all that a model would see
fusebox tools ALIAS…           of these servers alone
  --json has the schemas; a tool that is held back is named with the reason.`,
  call: `fusebox call NAME key=value…   one tool, no model; NAME is alias.tool
fusebox call NAME '{"key": 1}' the arguments as JSON
fusebox call NAME -            the arguments as JSON on stdin
  Values are read as the schema says; a list is a,b, or its key given twice.
  --timeout bounds its silence, --json prints all of the result.`,
  search: `fusebox search WORDS…          tools by what they do, best first
  Starts only servers that were never listed.`,
  servers: `fusebox servers                starts each server and says how it is
  --only ALIAS,… chooses; --json has last words, fuses and what is held back.`,
  status: `fusebox status                 a live page of the servers, until Ctrl-C
  --status=PORT, --status-host HOST say where; anything but this machine needs
  FUSEBOX_STATUS_TOKEN.`,
  models: `fusebox models [PROVIDER]      what a provider offers, as -m takes it`,
  catalog: `fusebox catalog [list]         what is known of servers that need not run
fusebox catalog refresh        starts each, and brings it up to date
fusebox catalog clear          forgets all of it`,
  approvals: `fusebox approvals [list]       which tools run without a question
fusebox approvals revoke NAME… has one asked again: ALIAS.TOOL, or an ALIAS
fusebox approvals clear        has all asked again`,
  trust: `fusebox trust [FILE]           shows the project file of this folder, and asks
fusebox trust list             files that were asked about
fusebox trust revoke [FILE]    has one asked about again
fusebox trust clear            has all asked about again
  --yes trusts unasked, for scripts: somebody has looked, then.`,
  pins: `fusebox pins [list]            tools that are not as they were seen first
fusebox pins accept NAME…      lets them in as they are: ALIAS.TOOL, or an ALIAS
fusebox pins reset ALIAS…      forgets what was seen of a server`,
  selftest: `fusebox selftest               nine checks over the two built-in servers`,
  demo: `fusebox demo                   a whole run over the built-in servers, offline`,
  "serve-demo": `fusebox serve-demo NAME        a built-in server on stdio: notes or tickets`,
};
