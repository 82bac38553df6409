/** Every published claim, one after the other; ends with 1 when one does not hold. @module */

let code = 0;
for (
  const name of ["call", "attach", "cold", "stream", "search", "tokens", "lazy", "status", "soak"]
) {
  const { code: ended } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", new URL(`./${name}.ts`, import.meta.url).pathname],
    stderr: "inherit",
    stdout: "inherit",
  }).output();
  code ||= ended;
}
Deno.exitCode = code;
