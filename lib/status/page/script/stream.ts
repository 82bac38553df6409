/** The line to the run: held for as long as it goes on, taken up again when it breaks. @module */

export const STREAM_SCRIPT = String.raw`
/** A run that is there says something at least this often. */
const SILENCE_MS = 40000;
const NEXT_RUN_MS = 5000;
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** The token comes behind the # of the address, which no request carries, or is typed. */
let token = remembered("token", "sessionStorage");
{
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given) {
    token = given;
    remember("token", token, "sessionStorage");
    history.replaceState(null, "", location.pathname);
  }
}

function ask(path, signal) {
  return fetch(path, { signal, cache: "no-store", headers: token ? { authorization: "Bearer " + token } : {} });
}

function setLink(state, text) {
  document.documentElement.dataset.link = state;
  setText($("link"), text);
  drawTab();
}

/** Follows the run for ever, from one connection to the next, from one run to the next. */
async function follow() {
  let failures = 0;
  let lostAt;
  for (;;) {
    let ended = false;
    try {
      const answer = await once((name, data) => {
        failures = 0;
        lostAt = undefined;
        if (name === "news") return takeNews(data);
        takeSnapshot(data);
        ended = name === "end";
        if (!ended) live();
      });
      if (answer === "token") {
        await signIn();
        continue;
      }
    } catch { /* It broke, or nobody is there. */ }
    if (ended) {
      await over(run.ending);
      continue;
    }
    failures++;
    lostAt ??= new Date();
    const since = stamp(lostAt);
    if (failures > 3 && run && stopped === undefined) presume(since);
    else if (stopped === undefined) setLink("lost", "No connection since " + since + "; trying again");
    await wait(stopped === undefined ? Math.min(500 * 2 ** failures, 8000) : NEXT_RUN_MS);
  }
}

/** One connection, to its end. @returns "token" when one is wanted that we don't have */
async function once(take) {
  const silence = new AbortController();
  let alarm = setTimeout(() => silence.abort(), SILENCE_MS);
  try {
    const answer = await ask("events", silence.signal);
    if (answer.status === 401) return "token";
    if (!answer.ok) throw new Error("answered " + answer.status);
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return "closed";
      clearTimeout(alarm);
      alarm = setTimeout(() => silence.abort(), SILENCE_MS);
      const blocks = (rest + value).split("\n\n");
      rest = blocks.pop();
      for (const block of blocks) takeBlock(block, take);
    }
  } finally {
    clearTimeout(alarm);
    silence.abort();
  }
}

function takeBlock(block, take) {
  const [, name, data] = /^event: (\w+)\ndata: (.*)$/s.exec(block) ?? [];
  if (name) take(name, JSON.parse(data));
}

function live() {
  stopped = undefined;
  setLink("live", isLater ? "Live: a later run" : "Live");
  show($("over"), false);
  show($("sign-in"), false);
}

const ENDINGS = {
  answered: "It was answered.",
  step_limit: "It came to its limit of steps.",
  repetition: "The model repeated itself.",
  empty: "The answer was empty.",
  length: "The answer was cut off at the model's limit.",
  refusal: "The model declined to answer.",
  denied: "All that the model asked for was refused.",
  budget: "Its tokens were used up.",
  invalid: "The answer was not valid for its schema.",
  left: "The user left.",
  failed: "It failed.",
};

/** The run said that it is over. Resolves when the next one is to be looked for. */
async function over(ending) {
  stopped = now();
  setLink("ended", "The run has ended");
  setText($("over-title"), "The run has ended.");
  setText($("over-text"), [ENDINGS[ending] ?? "", "This is how it stood."].filter(Boolean).join(" "));
  show($("over"), true);
  while (!$("again").checked) await new Promise((go) => $("again").addEventListener("change", go, { once: true }));
  await wait(NEXT_RUN_MS);
}

/** Nobody has been there for a while, and nobody said goodbye. */
function presume(since) {
  stopped = now();
  setLink("ended", "No answer since " + since);
  setText($("over-title"), "The run has probably ended.");
  setText($("over-text"), "Nobody has answered since " + since + ". This is how it stood then; it is looked for again.");
  show($("over"), true);
  for (const own of breakers.values()) tickBreaker(own);
}

async function signIn() {
  const isWrong = token !== undefined;
  token = undefined;
  setLink("locked", "A token is wanted");
  setText($("headline"), "This page wants a token");
  setText($("sign-in-why"), isWrong ? "That token is not the right one." : "");
  show($("sign-in"), true);
  $("token").focus();
  await new Promise((go) => $("sign-in").addEventListener("submit", (event) => {
    event.preventDefault();
    go();
  }, { once: true }));
  token = $("token").value.trim();
  $("token").value = "";
  remember("token", token, "sessionStorage");
}

$("again").checked = remembered("again") === "yes";
$("again").addEventListener("change", ({ target }) => remember("again", target.checked ? "yes" : "no"));
follow();
`;
