/** Where the user's own configuration is looked for. @module */
import { assert, assertEquals } from "@std/assert";
import { candidates, PROJECT_FILES } from "../../lib/config/find.ts";

/** The folders, in order; each is tried with the same four names. */
function folders(platform: string, env: Record<string, string>): string[] {
  const paths = candidates(platform, env);
  const names = new Set(paths.map((path) => path.split(/[\\/]/).at(-1)));
  assert(paths.length === 0 || names.size === 4);
  return [...new Set(paths.map((path) => path.replace(/[\\/][^\\/]+$/, "")))];
}

Deno.test("candidates() looks into XDG_CONFIG_HOME first, then where the platform keeps such files", () => {
  const table: [platform: string, env: Record<string, string>, folders: string[]][] = [
    ["linux", { HOME: "/home/me" }, ["/home/me/.config/fusebox"]],
    ["linux", { HOME: "/home/me/", XDG_CONFIG_HOME: "/cfg" }, [
      "/cfg/fusebox",
      "/home/me/.config/fusebox",
    ]],
    ["linux", { HOME: "/home/me", XDG_CONFIG_HOME: "relative" }, ["/home/me/.config/fusebox"]],
    ["linux", { HOME: "/home/me", XDG_CONFIG_HOME: "" }, ["/home/me/.config/fusebox"]],
    ["linux", { HOME: "/h", XDG_CONFIG_HOME: "/h/.config" }, ["/h/.config/fusebox"]],
    ["darwin", { HOME: "/Users/me" }, [
      "/Users/me/.config/fusebox",
      "/Users/me/Library/Application Support/fusebox",
    ]],
    ["windows", { APPDATA: "C:\\Users\\me\\AppData\\Roaming", USERPROFILE: "C:\\Users\\me" }, [
      "C:\\Users\\me\\AppData\\Roaming\\fusebox",
      "C:\\Users\\me\\.config\\fusebox",
    ]],
    ["windows", { XDG_CONFIG_HOME: "D:\\cfg" }, ["D:\\cfg\\fusebox"]],
    ["linux", {}, []],
  ];
  for (const [platform, env, expected] of table) {
    assertEquals(folders(platform, env), expected, `${platform} ${JSON.stringify(env)}`);
  }
});

Deno.test("candidates() prefers YAML to JSON in a folder", () => {
  assertEquals(candidates("linux", { HOME: "/h" }), [
    "/h/.config/fusebox/config.yaml",
    "/h/.config/fusebox/config.yml",
    "/h/.config/fusebox/config.json",
    "/h/.config/fusebox/config.jsonc",
  ]);
});

Deno.test("PROJECT_FILES are names in the current folder, not paths", () => {
  assert(PROJECT_FILES.includes(".mcp.json") && PROJECT_FILES.includes("fusebox.yaml"));
  assertEquals(PROJECT_FILES.filter((name) => /[\\/]/.test(name)), []);
});
