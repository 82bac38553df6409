/** What `--help` prints: one screen. @module */

export const HELP = `fusebox: an MCP client and agent loop in one program; COMMAND --help says more

  fusebox [ask] [PROMPT…]     answer; stdin is the prompt, or its context
  fusebox tools [ALIAS]       what the model would see
  fusebox call NAME [ARGS]    one tool: alias.tool, then JSON, key=value or -
  fusebox search QUERY        tools by what they do, running or not
  fusebox servers | catalog | models | approvals | trust | pins    what there is
  fusebox selftest | demo | serve-demo NAME    over the two built-in servers

  -c, --config FILE     configuration          --allow PATTERN   run unasked
      --server COMMAND  [alias=]COMMAND or URL --deny PATTERN    hide and refuse
      --only ALIAS,…    these servers alone    --yes             ask nothing
      --lazy, --forward  start servers when wanted, behind one tool; --mode MODE
  -m, --model NAME      provider/name, offline --frozen-pins     refuse changes
      --max-steps N     model requests (20)    --max-tokens N    of one turn
      --timeout TIME    idle limit of a call   --budget-tokens N of the run
      --system FILE     a system prompt        --attach FILE     text/image/PDF
      --schema FILE     JSON of this schema    --json, --jsonl   for machines
      --trace FILE      every message, JSONL   --save-media DIR  images, audio
      --status[=PORT]   a live page of the run; of servers alone: fusebox status
      --no-stdin  --no-stream  -q, --quiet  -v, --verbose  --version  -h, --help
Exit codes: 0 answered, 1 tool said no, 2 wrong usage, 3 refused, 4 no answer,
5 the model failed, 6 no full answer, 7 denied, 74 not written, 130 Ctrl-C.
`;
