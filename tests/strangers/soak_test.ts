/** The short form of bench/soak.ts: seconds in the place of a minute, so that it is run at every change. @module */
import assert from "node:assert/strict";
import { ROOT } from "../support/paths.ts";

Deno.test("5,000 calls over five servers, of which one is killed twice a second, lose no healthy one", async () => {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", ROOT + "bench/soak.ts", "5000"],
  }).output();
  const said = new TextDecoder().decode(stdout);
  assert(success, said + new TextDecoder().decode(stderr));
  assert.match(said, /holds +healthy calls lost: 0\.00/);
});
