/** Marks by which a model's chat template says who speaks: a stranger's text must not hold any. @module */

/** Of ChatML, Llama, Mistral, Gemma, DeepSeek, Hermes, Qwen and their kin. */
const MARKS =
  /<[|｜][^<>|｜\s]{1,60}[|｜]>|<\/?(?:s|bos|eos|start_of_turn|end_of_turn|tool_calls?|tool_responses?|tool_results?|think)>|\[\/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT)\]|<<\/?SYS>>/g;

/**
 * The same text with a blank in each such mark. Servers of one's own put a conversation into one text
 * before they cut it into tokens: there `<|im_end|>` in a result would end it, and what follows would
 * be anybody's.
 */
export function unmarked(text: string): string {
  return text.replace(MARKS, (mark) => `${mark[0]} ${mark.slice(1)}`);
}

/** {@linkcode unmarked} in every text of a JSON value. */
export function unmarkedIn<T>(value: T): T {
  const json = JSON.stringify(value);
  const clean = unmarked(json);
  return clean === json ? value : JSON.parse(clean);
}
