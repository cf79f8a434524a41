/**
 * The study screen in a chat: the browser's own forms and htmx, each request carried by a tool that only the app may call.
 *
 * A request that finds no answer is kept and sent again: every step may be repeated, since an item is answered once.
 */

import { connect } from "./bridge.js";

const RETRY_MS = [500, 1_500, 4_000, 10_000];
const LOST_RESULT_MS = 1_200;
const root = document.documentElement;
const stage = document.getElementById("stage");
const line = document.getElementById("status");
const spoken = document.getElementById("spoken");
const words = root.dataset;

let host;
let session = null; // its number, once known
let asked = null; // the arguments of the tool that the model called
let base = ""; // where links of the page lead
let gone = false;

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

function say(text) {
  line.textContent = text;
  line.hidden = !text;
}

/** A tool's answer, however often it has to be asked for. Throws what the server refused. */
async function ask(tool, given) {
  for (let turn = 0; ; turn += 1) {
    try {
      const answer = await host.call(tool, given);
      if (!answer.isError) {
        say("");
        return answer.structuredContent;
      }
      const code = answer._meta?.["loci/error"]?.code;
      if (code !== "UNAVAILABLE" && code !== "RATE_LIMITED") return { refused: answer.content?.[0]?.text?.replace(/^\[\w+\] /, "") ?? words.failed };
    } catch {
      // The chat did not pass it on, or the answer was lost on the way back.
    }
    if (gone) return { refused: "" };
    say(words.again);
    await pause(RETRY_MS[Math.min(turn, RETRY_MS.length - 1)]);
  }
}

const whole = (text) => (text === undefined || text === "" ? undefined : Number(text));
const without = (fields) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** The tool and its arguments for a form of the study screen. */
function toolCall(path, form) {
  const [, id, step] = path.match(/\/study\/(\d+)\/(\w+)$/) ?? [];
  const field = Object.fromEntries(form);
  const own = { sessionId: whole(id ?? field.session), itemId: whole(field.item) };
  if (!step) return ["study_settings", without({ deckId: whole(field.deck), mode: field.mode || undefined, goal: field.goal || undefined, minutes: whole(field.minutes) })];
  if (step === "finish") return ["study_step", { sessionId: own.sessionId, finish: true }];
  if (step === "more") return ["study_settings", { sessionId: own.sessionId }];
  if (step === "undo") return ["study_undo", { sessionId: own.sessionId }];
  if (step === "suspend" || step === "bury") return ["study_set_aside", { ...own, until: step === "bury" ? "tomorrow" : "resumed" }];
  const elapsedMs = whole(field.elapsed_ms);
  if (step === "keep") return ["study_rate", without({ ...own, rating: whole(field.rating), wasRight: field.was_right ? true : undefined, elapsedMs })];
  if (step === "answer") {
    const pairs = Object.keys(field).filter((name) => name.startsWith("pair-"));
    return ["study_answer", without({
      ...own,
      choice: whole(field.choice),
      pairs: pairs.length ? pairs.map((name) => whole(field[name]) ?? -1) : undefined,
      answer: "choice" in field || pairs.length ? undefined : (field.answer ?? ""),
      elapsedMs,
    })];
  }
  return ["study_reveal", without(own)];
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

/** What the fragment asks for when it appears: focus, if the person is here, and words for a screen reader. */
function appeared() {
  const told = stage.querySelector("[data-announce]");
  if (told) spoken.textContent = told.dataset.announce;
  if (document.hasFocus()) stage.querySelector("[data-autofocus]")?.focus({ preventScroll: true });
}

document.addEventListener("htmx:after:swap", appeared);

/** The session by its number, or the one that belongs to what the model asked for. */
const resume = async () => show(await ask("study_step", session ? { sessionId: session } : (asked ?? {})));

document.addEventListener("htmx:config:request", (event) => {
  const { ctx } = event.detail;
  ctx.fetch = async (action, request) => {
    const [tool, given] = toolCall(new URL(action, "https://widget.invalid").pathname, request.body ?? []);
    const step = await ask(tool, given);
    if (step.refused !== undefined) {
      say(step.refused);
      const present = await ask("study_step", { sessionId: session });
      return new Response(present.refused === undefined ? taken(present) : stage.innerHTML, { headers: { "content-type": "text/html" } });
    }
    return new Response(taken(step), { headers: { "content-type": "text/html" } });
  };
});

// Without allow-forms the browser drops a submission before any event: a click on a button makes the event itself.
document.addEventListener("click", (event) => {
  const button = event.target.closest?.("button");
  if (button?.form && button.type === "submit") {
    event.preventDefault();
    if (!button.formNoValidate && !button.form.reportValidity()) return;
    button.form.dispatchEvent(new SubmitEvent("submit", { bubbles: true, cancelable: true, submitter: button }));
    return;
  }
  const link = event.target.closest?.("a[href]");
  if (link) {
    event.preventDefault();
    host.openLink?.(new URL(link.getAttribute("href"), base).href);
    return;
  }
  const told = event.target.closest?.("[data-tell]");
  if (told) host.message?.(told.dataset.tell);
});

// A form that htmx does not carry, such as "Go on", leads to another screen as a whole.
document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (form.hasAttribute("hx-post")) return;
  event.preventDefault();
  show(await ask(...toolCall(new URL(form.getAttribute("action"), "https://widget.invalid").pathname, new FormData(form))));
});

const screen = document.getElementById("screen");
screen.addEventListener("click", () => host.fullScreen(root.dataset.mode === "fullscreen" ? "inline" : "fullscreen"));

function context(fresh) {
  if (fresh.theme) root.dataset.theme = fresh.theme;
  for (const [name, value] of Object.entries(fresh.styles?.variables ?? {})) if (value) root.style.setProperty(name, value);
  for (const [side, pixels] of Object.entries(fresh.safeAreaInsets ?? {})) root.style.setProperty(`--safe-${side}`, `${pixels}px`);
  if (fresh.displayMode) root.dataset.mode = fresh.displayMode;
  if (fresh.availableDisplayModes) screen.hidden = !fresh.availableDisplayModes.includes("fullscreen");
  screen.textContent = root.dataset.mode === "fullscreen" ? words.smaller : words.larger;
}

let begun = false;
const begin = () => {
  if (begun || !host) return;
  begun = true;
  resume();
};

const handlers = {
  input: (given) => {
    asked = given;
    if (given.sessionId) session = given.sessionId;
    // After a reload, or in a second place, the result may never come.
    setTimeout(begin, LOST_RESULT_MS);
  },
  result: (result) => {
    if (result.isError) {
      say(result.content?.[0]?.text ?? words.failed);
      return;
    }
    session = result.structuredContent?.sessionId ?? session;
    begin();
  },
  context,
  teardown: () => {
    gone = true;
  },
};

try {
  host = await connect(handlers);
  session ??= host.saved?.sessionId ?? null;
  if (session || host.saved) begin();
} catch {
  say(words.alone);
}
