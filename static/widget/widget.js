/**
 * The study screen in a chat: the browser's own forms and htmx, each request carried by a tool that only the app may call.
 *
 * One request goes at a time. One whose answer is lost is sent again, since every step says what it was asked on: an item is answered
 * once, an undo names the question whose answer it takes back, a new session has a key.
 */

import { connect } from "./bridge.js";

const RETRY_MS = [500, 1_500, 4_000];
const LOOK_MS = [2_000, 4_000, 8_000, 16_000]; // after the tool was called, for a session whose result never came
const root = document.documentElement;
const stage = document.getElementById("stage");
const line = document.getElementById("status");
const retry = document.getElementById("retry");
const spoken = document.getElementById("spoken");
const screen = document.getElementById("screen");
const words = root.dataset;

let host;
let session = null; // its number, once known
let asked = null; // the arguments of the tool that the model called
let base = ""; // where links of the page lead
let gone = false;
let busy = false;
let waking; // the timer of a pause
let room = 500; // pixels there are inline
let larger = false; // whether the chat gives a full screen
let opened = false; // whether all is shown inline, however long
let leave; // called when the chat takes the screen away
const leaving = new Promise((resolve) => (leave = resolve));
let pending = Promise.resolve(); // the request that is on its way

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const plain = (text) => text?.replace(/^\[\w+\] /, "");

function say(text) {
  line.textContent = text;
  line.hidden = !text;
  fit();
}

const tall = () => Math.ceil(root.getBoundingClientRect().height);
const CLIPPED = ".face, .diff, .choices button > span, .answered li > span:first-child, .pair label, .board :is(th, td)";

/**
 * Inline there is little room and nothing scrolls: what is long is cut, step by step, until the screen with its buttons fits.
 * The button at the top then shows all of it.
 */
function fit() {
  delete stage.dataset.cut;
  const sides = stage.querySelectorAll(".face, .diff");
  for (const side of sides) side.style.maxHeight = "";
  const little = root.dataset.mode !== "fullscreen" && !opened;
  for (const step of little ? ["1", "2", "3"] : []) {
    if (tall() <= room) break;
    stage.dataset.cut = step;
  }
  // What is left goes to the sides that need it.
  for (let turn = 0; stage.dataset.cut && turn < 3; turn += 1) {
    const short = [...sides].filter((side) => side.scrollHeight > side.clientHeight + 2);
    const share = Math.floor((room - tall()) / short.length);
    if (!short.length || share < 4) break;
    for (const side of short) side.style.maxHeight = `${Math.min(side.offsetHeight + share, side.scrollHeight + 2)}px`;
  }
  let cut = false;
  for (const part of stage.querySelectorAll(CLIPPED)) {
    const over = Boolean(stage.dataset.cut) && (part.scrollHeight > part.clientHeight + 2 || part.scrollWidth > part.clientWidth + 2);
    part.classList.toggle("clipped", over);
    cut ||= over;
  }
  cut ||= [...stage.querySelectorAll(".study-end section, .study-end :is(.row, tbody tr)")].some((part) => part.checkVisibility?.() === false);
  root.classList.toggle("is-cut", cut);
  const full = root.dataset.mode === "fullscreen";
  screen.hidden = !full && !(stage.childElementCount && (larger || cut || opened));
  screen.textContent = full ? words.smaller : cut ? words.all : opened && !larger ? words.less : words.larger;
}

/** A person who wants to try once more, or nothing when the chat takes the screen away. */
const wanted = () =>
  new Promise((resolve) => {
    retry.hidden = false;
    retry.onclick = () => {
      retry.hidden = true;
      resolve();
    };
  });

/** A tool's answer. Refusals are given back; what is lost on the way is sent again a few times, and then when the person says so. */
const ask = (tool, given) => (pending = sent(tool, given));

async function sent(tool, given) {
  busy = true;
  let last = false;
  stage.ariaBusy = "true";
  try {
    for (let turn = 0; ; turn += 1) {
      let lost = words.lost;
      try {
        const answer = await host.call(tool, given);
        if (answer.structuredContent && !answer.isError) {
          say("");
          return answer.structuredContent;
        }
        const code = answer._meta?.["loci/error"]?.code;
        const text = plain(answer.content?.[0]?.text);
        if (answer.isError && code !== "UNAVAILABLE" && code !== "RATE_LIMITED") return { refused: text ?? words.failed, code };
        lost = text ?? words.failed;
      } catch (error) {
        // The chat did not pass it on, or the answer was lost on the way back: who knows which.
        if (error.told) lost = `${words.lost} (${error.message})`;
      }
      if (last) return { refused: "" };
      if (gone) last = true; // once more, now or never
      else if (turn < RETRY_MS.length) {
        say(words.again);
        await Promise.race([pause(RETRY_MS[turn]), leaving]);
      } else {
        say(lost);
        await Promise.race([wanted(), leaving]);
        turn = -1;
      }
    }
  } finally {
    busy = false;
    stage.ariaBusy = null;
  }
}

const whole = (text) => (text === undefined || text === "" ? undefined : Number(text));
const without = (fields) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
const newKey = () => crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`;

/** The tool and its arguments for a form of the study screen. */
function toolCall(path, form) {
  const [, id, step] = path.match(/\/study\/(\d+)\/(\w+)$/) ?? [];
  const field = Object.fromEntries(form);
  const own = { sessionId: whole(id ?? field.session), itemId: whole(field.item) };
  if (!step) return ["study_settings", without({ deckId: whole(field.deck), mode: field.mode || undefined, goal: field.goal || undefined, minutes: whole(field.minutes), key: newKey() })];
  if (step === "finish") return ["study_settings", { sessionId: own.sessionId, finish: true, key: newKey() }];
  if (step === "more") return ["study_settings", { sessionId: own.sessionId, key: newKey() }];
  if (step === "undo") return ["study_undo", without({ sessionId: own.sessionId, itemId: whole(field.answered) })];
  if (step === "suspend" || step === "bury") return ["study_set_aside", { ...own, until: step === "bury" ? "tomorrow" : "resumed" }];
  const elapsedMs = whole(field.elapsed_ms);
  if (step === "keep") return ["study_rate", without({ ...own, rating: whole(field.rating), wasRight: field.was_right ? true : undefined, elapsedMs })];
  if (step === "answer") {
    const pairs = Object.keys(field).filter((name) => name.startsWith("pair-"));
    return ["study_answer", without({
      ...own,
      choice: whole(field.choice),
      pairs: pairs.length ? pairs.map((name) => whole(field[name]) ?? -1) : undefined,
      answer: "choice" in field || pairs.length ? undefined : "unknown" in field ? "" : (field.answer ?? ""),
      elapsedMs,
    })];
  }
  return ["study_reveal", without({ ...own, elapsedMs })];
}

/** Take note of what a step gave; its HTML. */
function taken(step) {
  session = step.sessionId;
  base = step.baseUrl;
  root.lang = step.language;
  host.save({ sessionId: session });
  if (step.forModel) host.context(step.forModel);
  return step.html;
}

function show(step) {
  if (step.refused !== undefined) {
    say(step.refused);
    return;
  }
  stage.innerHTML = taken(step);
  htmx.process(stage);
  appeared();
}

/** What the fragment asks for when it appears: focus, if the person is here, words for a screen reader, a time to look again. */
function appeared() {
  opened = false;
  fit();
  spoken.textContent = stage.querySelector("[data-announce]")?.dataset.announce ?? "";
  const first = [...stage.querySelectorAll("[data-autofocus]")].find((part) => part.checkVisibility?.() !== false);
  if (document.hasFocus()) first?.focus({ preventScroll: true });
  clearTimeout(waking);
  const pausing = stage.querySelector("[data-resume]");
  if (pausing) waking = setTimeout(begin, Math.min(Math.max(Number(pausing.dataset.resume), 5), 86_400) * 1000 + 500);
}

document.addEventListener("htmx:after:swap", appeared);

/** The session as it stands; after one that is finished, the one that was gone on with. */
const resume = async () => show(await ask("study_step", { sessionId: session, orNewer: true }));

document.addEventListener("htmx:config:request", (event) => {
  const { ctx } = event.detail;
  ctx.fetch = async (action, request) => {
    const [tool, given] = toolCall(new URL(action, "https://widget.invalid").pathname, request.body ?? []);
    const step = await ask(tool, given);
    const headers = { "content-type": "text/html" };
    if (step.refused === undefined) return new Response(taken(step), { headers });
    // What was filled in stays as it is; anything else is asked again, with the reason beside it.
    const present = step.code === "INVALID_INPUT" ? step : await ask("study_step", { sessionId: session });
    say(step.refused);
    if (present.refused === undefined) return new Response(taken(present), { headers });
    return new Response("", { headers: { ...headers, "HX-Reswap": "none" } });
  };
});

// Without allow-forms the browser drops a submission before any event: a click on a button makes the event itself.
document.addEventListener("click", (event) => {
  const button = event.target.closest?.("button");
  if (button?.form && button.type === "submit") {
    event.preventDefault();
    if (busy || (!button.formNoValidate && !button.form.reportValidity())) return;
    button.form.dispatchEvent(new SubmitEvent("submit", { bubbles: true, cancelable: true, submitter: button }));
    return;
  }
  const link = event.target.closest?.("a[href]");
  if (link) {
    event.preventDefault();
    if (link.dataset.resume !== undefined) busy || resume();
    else granted(host.openLink?.(new URL(link.getAttribute("href"), base).href));
    return;
  }
  const told = event.target.closest?.("[data-tell]");
  if (told) granted(host.message?.(told.dataset.tell));
});

/** Say so when the chat refuses what was pressed. */
const granted = async (doing) => (await doing) === null && say(words.refused);

// Enter in a field submits without a click.
document.addEventListener("submit", (event) => {
  if (!busy) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}, true);

// A form that htmx does not carry, such as "Go on", leads to another screen as a whole.
document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (form.hasAttribute("hx-post") || event.defaultPrevented) return;
  event.preventDefault();
  show(await ask(...toolCall(new URL(form.getAttribute("action"), "https://widget.invalid").pathname, new FormData(form))));
  form.ariaBusy = null;
});

screen.addEventListener("click", () => {
  if (larger || root.dataset.mode === "fullscreen") host.fullScreen(root.dataset.mode === "fullscreen" ? "inline" : "fullscreen");
  else {
    opened = !opened;
    fit();
  }
});
addEventListener("resize", fit);

function context(fresh) {
  if (typeof fresh.theme === "string") root.dataset.theme = fresh.theme;
  for (const [name, value] of Object.entries(fresh.styles?.variables ?? {})) if (typeof value === "string" && value) root.style.setProperty(name, value);
  for (const [side, pixels] of Object.entries(fresh.safeAreaInsets ?? {})) if (Number.isFinite(parseFloat(pixels))) root.style.setProperty(`--safe-${side}`, `${parseFloat(pixels)}px`);
  if (typeof fresh.displayMode === "string") root.dataset.mode = fresh.displayMode;
  if (Array.isArray(fresh.availableDisplayModes)) larger = fresh.availableDisplayModes.includes("fullscreen");
  const most = Number(fresh.containerDimensions?.maxHeight ?? fresh.containerDimensions?.height);
  if (most > 0) room = Math.min(500, Math.max(most, 240));
  fit();
  host?.measure();
}

let looking;
let told = null; // a session that the model's call gave

/** Show what is known, once the host is there. */
function begin() {
  clearTimeout(looking);
  if (busy) looking = setTimeout(begin, 200);
  else if (host) resume();
}

/** After a reload, or in a second place, the result may never come; the session may be there. None is started here. */
function look(turn = 0) {
  clearTimeout(looking);
  looking = setTimeout(async () => {
    if (!host || busy) {
      look(turn);
      return;
    }
    const found = await ask("study_step", session ? { sessionId: session } : asked ?? {});
    if (found.code !== "NOT_FOUND" || session) show(found);
    else if (turn + 1 < LOOK_MS.length) look(turn + 1);
    else say(found.refused);
  }, LOOK_MS[turn]);
}

const handlers = {
  input: (given) => {
    if (stage.childElementCount) return;
    asked = given;
    if (given.sessionId) session ??= given.sessionId;
    say(words.loading);
    look();
  },
  result: (result) => {
    clearTimeout(looking);
    const id = result.structuredContent?.sessionId;
    if (result.isError || !id) {
      if (stage.childElementCount) return;
      say((result.isError && plain(result.content?.[0]?.text)) || words.failed);
      if (!result.isError) look(); // the number was lost on the way, the session is there
      return;
    }
    if (id === told) return;
    told = id;
    session = id;
    begin();
  },
  cancelled: () => {
    clearTimeout(looking);
    if (!stage.childElementCount) say(words.cancelled);
  },
  context,
  teardown: () => {
    gone = true;
    clearTimeout(looking);
    clearTimeout(waking);
    leave();
    return Promise.race([pending, pause(3_000)]);
  },
};

try {
  host = await connect(handlers);
  root.classList.toggle("no-links", !host.openLink);
  root.classList.toggle("no-messages", !host.message);
  session = host.saved?.sessionId ?? session;
  if (session) begin();
} catch {
  say(words.alone);
}
