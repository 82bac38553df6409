/** How many tokens models hold, by their names. @module */

/** The first pattern that fits decides. Names may have a maker in front: `openai/gpt-oss-120b`. */
const WINDOWS: readonly [RegExp, number][] = [
  [/\bclaude-(?:fable|mythos|opus|sonnet)-[5-9]/, 1_000_000],
  [/\bclaude-/, 200_000],
  [/\bgpt-oss/, 131_072],
  [/\bgpt-(?:4o|4-turbo)|\bgpt-5[^/]*-chat|\bcodex-mini/, 128_000],
  [/\bgpt-4\.1/, 1_047_576],
  [/\bgpt-5(?:\.[0-3])?(?![.\d])/, 400_000],
  [/\bgpt-(?:5\.[4-9]|[6-9])/, 1_050_000],
  [/\bo[134](?:-|$)/, 200_000],
  [/\bgemini-/, 1_048_576],
  [/\bmistral-medium-(?:latest|3\.5)|\bcodestral/, 262_144],
  [/\b(?:mistral|ministral|magistral|devstral|pixtral)/, 131_072],
  [/\bgrok-4/, 256_000],
  [/\bgrok-/, 131_072],
  [/\bdeepseek-/, 128_000],
  [/\bllama-(?:3\.[1-9]|4)/, 131_072],
];

/** Tokens of input and output together; undefined for a model that we know nothing of. */
export function contextWindow(model: string): number | undefined {
  const name = model.toLowerCase();
  return WINDOWS.find(([pattern]) => pattern.test(name))?.[1];
}
