/** What is held in memory, once all that nobody holds is gone. @module */
import v8 from "node:v8";
import vm from "node:vm";

v8.setFlagsFromString("--expose-gc");
const collect: () => void = vm.runInNewContext("gc");

/** Bytes of the heap and of buffers beside it. */
export function held(): number {
  collect();
  const { heapUsed, external } = Deno.memoryUsage();
  return heapUsed + external;
}
