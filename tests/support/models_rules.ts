/** What the APIs answer 400 to although the types of their SDKs allow it: by format, as rules over a body. @module */
import type { Body } from "./models_formats.ts";

type Rule = (body: Body) => string[];

const NAME = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;
const MOST_TOOLS = 128;
/** What Anthropic takes of `cache_control` in one request. */
const MOST_BREAKPOINTS = 4;

/** What is wrong with a body, a line each. */
export function ownProblems(schema: string, body: Body): string[] {
  return [...toolProblems(body), ...RULES[schema]!(body)];
}

const RULES: Readonly<Record<string, Rule>> = {
  anthropic: ({ messages, ...rest }) => {
    const found = alternating(messages.map(({ role }: Body) => role), "assistant");
    const breakpoints = JSON.stringify({ messages, ...rest }).split('"cache_control":').length - 1;
    if (breakpoints > MOST_BREAKPOINTS) found.push(`${breakpoints} cache breakpoints`);
    let open: unknown[] = [];
    for (const { content } of messages) {
      const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
      const types = blocks.map(({ type }: Body) => type);
      const results = blocks.filter(({ type }: Body) => type === "tool_result");
      found.push(...paired(open, results.map((block: Body) => block.tool_use_id)));
      if (types.slice(0, results.length).some((type: string) => type !== "tool_result")) {
        found.push("results do not come first");
      }
      for (const { type, text } of blocks) {
        if (type === "text" && text.trim() === "") found.push("a text without text");
      }
      open = blocks.filter(({ type }: Body) => type === "tool_use").map(({ id }: Body) => id);
    }
    return [...found, ...paired(open, [])];
  },
  chat: ({ messages }) => {
    const found: string[] = [];
    let open: unknown[] = [];
    let told: unknown[] = [];
    for (const { role, content, tool_calls = [], tool_call_id } of [...messages, {}]) {
      if (role === "tool") {
        told.push(tool_call_id);
        continue;
      }
      found.push(...paired(open, told));
      open = tool_calls.map(({ id }: Body) => id);
      told = [];
      if (role === "assistant" && open.length === 0 && !content) found.push("an empty turn");
      for (const call of tool_calls) found.push(...parses(call.function.arguments));
    }
    return found;
  },
  responses: ({ input, store }) => {
    const found = store === false ? [] : ["it is to be kept at the API"];
    const ids = (wanted: string) =>
      input.filter(({ type }: Body) => type === wanted).map(({ call_id }: Body) => call_id);
    found.push(...paired(ids("function_call"), ids("function_call_output")));
    for (const item of input) {
      if (item.type === "function_call") found.push(...parses(item.arguments));
      // Nothing was stored, so that an id alone leads nowhere.
      if (item.type === "reasoning" && !item.encrypted_content) found.push("an empty reasoning");
    }
    return found;
  },
  gemini: ({ contents }) => {
    const found = alternating(contents.map(({ role }: Body) => role), "model");
    let open: unknown[] = [];
    for (const { parts } of contents) {
      if (parts.length === 0) found.push("a content without parts");
      const of = (kind: string) => parts.filter((part: Body) => part[kind]);
      const key = ({ id, name }: Body) => `${id ?? ""} ${name}`;
      const told = of("functionResponse").map((part: Body) => key(part.functionResponse));
      found.push(...paired(open, told));
      open = of("functionCall").map((part: Body) => key(part.functionCall));
    }
    return [...found, ...paired(open, [])];
  },
};

function toolProblems({ tools = [] }: Body): string[] {
  const names: string[] = tools.flatMap((tool: Body) =>
    (tool.functionDeclarations ?? [tool.function ?? tool]).map(({ name }: Body) => name)
  );
  return [
    ...names.filter((name) => !NAME.test(name)).map((name) => `a tool is called "${name}"`),
    ...new Set(names).size < names.length ? ["two tools have one name"] : [],
    ...names.length > MOST_TOOLS ? [`${names.length} tools`] : [],
  ];
}

/** The user begins, and nobody speaks twice. */
function alternating(roles: readonly string[], model: string): string[] {
  return roles.some((role, at) => role !== (at % 2 === 0 ? "user" : model))
    ? [`the roles are ${roles.join(", ")}`]
    : [];
}

/** Each call is answered once, in the order asked. */
function paired(asked: readonly unknown[], told: readonly unknown[]): string[] {
  const same = asked.length === told.length && asked.every((id, at) => id === told[at]);
  return same ? [] : [`asked [${asked.join(", ")}], told [${told.join(", ")}]`];
}

function parses(text: string): string[] {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? [] : [`arguments ${text}`];
  } catch {
    return [`arguments ${text}`];
  }
}
