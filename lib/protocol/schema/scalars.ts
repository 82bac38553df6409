/** The keywords about a value by itself: its type, its text, its number. @module */
import { forText, type Rule } from "./run.ts";
import type { Site } from "./site.ts";
import { clip, either, identityOf, kindOf, KINDS, nounOf, show } from "./value.ts";

export function scalarRules(site: Site): Rule[] {
  return [...typeRules(site), ...choiceRules(site), ...textRules(site), ...numberRules(site)];
}

function typeRules(site: Site): Rule[] {
  const given = site.get("type");
  const names = typeof given === "string" ? [given] : site.names("type");
  if (!names) return [];
  const types = new Set(names);
  for (const name of types) {
    if (!KINDS.has(name)) site.fault("type", `a type of JSON, not ${show(name)}`);
  }
  const wanted = either([...types].map((name) => KINDS.get(name)!));
  const integral = types.has("integer");
  return [(run, value) => {
    if (types.has(kindOf(value)) || (integral && Number.isInteger(value))) return true;
    const got = integral && typeof value === "number" ? value : nounOf(value);
    return run.fail(() => `expected ${wanted}, got ${got}`);
  }];
}

function choiceRules(site: Site): Rule[] {
  const constant = site.get("const");
  const lists = [site.list("enum"), constant === undefined ? undefined : [constant]];
  return lists.filter((choices) => choices !== undefined).map((choices): Rule => {
    const identities = new Set(choices.map((choice) => identityOf(choice, site.opener.meter)));
    const composite = choices.some((choice) => typeof choice === "object" && choice !== null);
    const shown = choices.length > 8 ? [...choices.slice(0, 7).map(show), "…"] : choices.map(show);
    const wanted = either(shown) || "no value at all";
    return (run, value) => {
      const possible = composite || typeof value !== "object" || value === null;
      if (possible && identities.has(identityOf(value, run))) return true;
      return run.fail(() => `expected ${wanted}, got ${show(value)}`);
    };
  });
}

function textRules(site: Site): Rule[] {
  const rules: Rule[] = [];
  const [least, most] = [site.count("minLength"), site.count("maxLength")];
  if (least !== undefined || most !== undefined) {
    rules.push(forText((run, text) => {
      run.spend(text.length >> 4);
      return run.within(characters(text), least, most, "characters");
    }));
  }
  const source = site.text("pattern");
  if (source !== undefined) {
    const pattern = site.pattern(source);
    rules.push(forText((run, text) => {
      run.spend((text.length * pattern.size) >> 4);
      if (pattern.test(text)) return true;
      return run.fail(() => `expected text that matches ${clip(source, 60)}, got ${show(text)}`);
    }));
  }
  return rules;
}

function numberRules(site: Site): Rule[] {
  const rules: Rule[] = [];
  const rule = (bound: number | undefined, words: string, keeps: typeof isMultiple) => {
    if (bound === undefined) return;
    rules.push((run, value) => {
      if (typeof value !== "number" || keeps(value, bound)) return true;
      return run.fail(() => `expected ${words} ${bound}, got ${value}`);
    });
  };
  const [low, high] = [site.number("minimum"), site.number("maximum")];
  // In draft-04 the exclusive limits are adverbs of the inclusive ones.
  const limit = (keyword: string, inclusive: number | undefined) =>
    site.draft > 4 ? site.number(keyword) : site.flag(keyword) ? inclusive : undefined;
  rule(low, "at least", (value, bound) => value >= bound);
  rule(high, "at most", (value, bound) => value <= bound);
  rule(limit("exclusiveMinimum", low), "more than", (value, bound) => value > bound);
  rule(limit("exclusiveMaximum", high), "less than", (value, bound) => value < bound);
  const step = site.number("multipleOf");
  if (step !== undefined && step <= 0) site.fault("multipleOf", "more than zero");
  rule(step, "a multiple of", isMultiple);
  return rules;
}

/** The length of a text as JSON Schema counts it: in code points. */
function characters(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i += text.codePointAt(i)! > 0xFFFF ? 2 : 1) count++;
  return count;
}

/** Whether `value` is a multiple of `step` in decimal, where 0.3 is one of 0.1. */
function isMultiple(value: number, step: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(step)) return value % step === 0;
  const [[a, x], [b, y]] = [decimal(value), decimal(step)];
  return x >= y ? (a * 10n ** BigInt(x - y)) % b === 0n : a % (b * 10n ** BigInt(y - x)) === 0n;
}

/** A number as its digits and a power of ten. */
function decimal(value: number): [digits: bigint, exponent: number] {
  const [mantissa, exponent] = value.toExponential().split("e") as [string, string];
  const [whole, fraction = ""] = mantissa.split(".") as [string, string?];
  return [BigInt(whole + fraction), Number(exponent) - fraction.length];
}
