/** Faults of a server that can't be started. @module */
import { join } from "node:path";
import { demo } from "../cli.ts";
import { executable } from "../executable.ts";
import { type Row, rowsOf } from "./row.ts";

const healthy = demo("notes");

export const SPAWN: readonly Row[] = rowsOf("Spawn", [
  {
    does: "is not installed",
    server: { shown: "`no-such-server`", entry: () => ({ command: "no-such-server" }) },
    offline: "spawn_not_found",
    everyMode: true,
  },
  {
    does: "is a path to nothing",
    server: {
      shown: "`~/no/such/server`",
      entry: (box) => ({ command: join(box.home, "no", "such", "server") }),
    },
    offline: "spawn_not_found",
  },
  {
    does: "needs an interpreter that is not there",
    server: {
      shown: "`#!/no/such/runtime`",
      entry: async (box) => ({
        command: await executable(join(box.home, "script"), "#!/no/such/runtime\n"),
      }),
    },
    offline: "spawn_not_found",
  },
  {
    does: "is to run in a folder that is not there",
    server: {
      shown: "`cwd: ~/gone`",
      entry: (box) => ({ command: "sh", cwd: join(box.home, "gone") }),
    },
    offline: "spawn_not_found",
  },
  {
    does: "is to run in a folder that is a file",
    server: {
      shown: "`cwd: ~/a-file`",
      entry: async (box) => ({ command: "sh", cwd: await box.file("a-file", "") }),
    },
    offline: "spawn_not_found",
  },
  {
    does: "may not be executed",
    server: {
      shown: "a file of mode 0644",
      entry: async (box) => ({ command: await box.file("tool", "#!/bin/sh\n") }),
    },
    offline: "spawn_denied",
    everyMode: true,
  },
  {
    does: "is a folder",
    server: { shown: "`~`", entry: (box) => ({ command: box.home }) },
    offline: "spawn_denied",
  },
  {
    does: "is a text and no program",
    server: {
      shown: "an executable file without `#!`",
      entry: async (box) => ({
        command: await executable(join(box.home, "text"), "This is a text.\n"),
      }),
    },
    offline: "exited",
    note: "the system gives it to a shell",
  },
  {
    does: "has more arguments than the system takes",
    server: {
      shown: "an argument of 3 MB",
      entry: () => ({ command: "sh", args: ["-c", "exit", "x".repeat(3_000_000)] }),
    },
    offline: "spawn_denied",
    linux: true,
  },
  {
    does: "has an argument that no program can be given",
    server: { shown: '`args: ["a\\0b"]`', entry: () => ({ command: "sh", args: ["a\0b"] }) },
    offline: "spawn_denied",
  },
  {
    does: "has no command",
    server: { shown: '`command: ""`', entry: () => ({ command: "" }) },
    offline: "config",
  },
  {
    does: "needs a variable that is not set",
    server: {
      shown: "`env: {KEY: ${NO_SUCH_KEY}}`",
      entry: () => ({ ...healthy, env: { KEY: "${NO_SUCH_KEY}" } }),
    },
    offline: "config",
    everyMode: true,
  },
  {
    does: "is started by a variable that is not set",
    server: {
      shown: "`command: ${NO_SUCH_RUNTIME}`",
      entry: () => ({ command: "${NO_SUCH_RUNTIME}" }),
    },
    offline: "config",
  },
]);
