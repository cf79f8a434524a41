/**
 * What every page gains with script. Nothing here is needed: each form and link works without it.
 *
 *   data-copy="id"            a button that copies the field with that id
 *   form[data-bulk]           boxes in a list: [data-select-all], [data-selected-count]
 *   data-confirm="question"   on a form or its button: asks in a dialog, then adds confirmed=1 (without script the server asks)
 *   data-autofocus            focused when it appears, on load or after a swap
 *   data-announce="text"      read out through #status when it appears
 *   time[data-relative]       "3 days ago", the exact time as its title
 *   data-needs-script         hidden until now
 *   input[data-time-zone]     gets the browser's time zone
 */

const status = () => document.getElementById("status");
const seen = {};
let announcement = 0;

/** Reads `text` out, and shows it for a while when nothing else on the page does. Emptied first, so that the same words are read again. */
function announce(text, show = false) {
  const line = status();
  if (!line) return;
  clearTimeout(announcement);
  line.textContent = "";
  line.classList.remove("shown");
  announcement = setTimeout(() => {
    line.textContent = text;
    line.classList.toggle("shown", show);
    announcement = setTimeout(() => {
      line.textContent = "";
      line.classList.remove("shown");
    }, 6000);
  }, 50);
}

/** Elements that match and have not been met by this selector before. */
function fresh(selector) {
  const met = (seen[selector] ??= new WeakSet());
  return [...document.querySelectorAll(selector)].filter((element) => !met.has(element) && met.add(element));
}

const UNITS = [["year", 31557600], ["month", 2629800], ["week", 604800], ["day", 86400], ["hour", 3600], ["minute", 60]];

function relative(element) {
  const seconds = (Date.parse(element.dateTime) - Date.now()) / 1000;
  if (Number.isNaN(seconds)) return;
  const [unit, size] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? ["minute", 60];
  element.title ||= element.textContent;
  element.textContent = new Intl.RelativeTimeFormat(document.documentElement.lang, { numeric: "auto" }).format(Math.round(seconds / size), unit);
}

const boxesOf = (form) => [...form.querySelectorAll(".cards input[type=checkbox], .rows input[type=checkbox], tbody input[type=checkbox]")];

function count(form) {
  const boxes = boxesOf(form);
  const chosen = boxes.filter((box) => box.checked).length;
  const all = form.querySelector("[data-select-all]");
  const shown = form.querySelector("[data-selected-count]");
  if (shown) shown.textContent = chosen;
  if (all) {
    all.checked = chosen > 0 && chosen === boxes.length;
    all.indeterminate = chosen > 0 && chosen < boxes.length;
  }
}

function appeared() {
  fresh("[data-needs-script], [data-copy]").forEach((element) => (element.hidden = false));
  fresh("time[data-relative]").forEach(relative);
  document.querySelectorAll("form[data-bulk]").forEach(count);
  fresh("input[data-time-zone]").forEach((field) => (field.value ||= Intl.DateTimeFormat().resolvedOptions().timeZone));
  const said = fresh("[data-announce]").at(-1);
  if (said) announce(said.dataset.announce);
  fresh("[data-autofocus]").at(0)?.focus({ preventScroll: false });
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest?.("[data-copy]");
  const field = button && document.getElementById(button.dataset.copy);
  if (!field) return;
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
  } catch {
    // No clipboard outside a secure context; the selection is there for the old command or the person.
    if (!document.execCommand("copy")) return;
  }
  announce(button.dataset.copied, true);
});

document.addEventListener("change", (event) => {
  const form = event.target.closest?.("form[data-bulk]");
  if (!form) return;
  if (event.target.matches("[data-select-all]")) {
    const { checked } = event.target;
    for (const box of boxesOf(form)) box.checked = checked;
  }
  count(form);
});

const confirmed = new WeakSet();

// Capture: the question comes before htmx or the browser sends the form.
document.addEventListener("submit", (event) => {
  const { target: form, submitter } = event;
  if (confirmed.delete(form)) return;
  form.querySelector("[data-answered]")?.remove();
  const asker = submitter?.dataset.confirm ? submitter : form;
  const question = asker.dataset.confirm;
  if (!question) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  const dialog = document.getElementById("confirm-dialog").content.firstElementChild.cloneNode(true);
  const yes = dialog.querySelector("[value=yes]");
  dialog.querySelector("#confirm-text").textContent = question;
  yes.textContent = asker.dataset.confirmButton || submitter?.firstChild?.textContent.trim() || yes.textContent;
  dialog.addEventListener("close", () => {
    dialog.remove();
    if (dialog.returnValue !== "yes") return submitter?.focus();
    const answer = Object.assign(document.createElement("input"), { type: "hidden", name: "confirmed", value: "1" });
    answer.dataset.answered = "";
    form.append(answer);
    confirmed.add(form);
    form.requestSubmit(submitter);
  });
  document.body.append(dialog);
  dialog.showModal();
}, true);

// Only an answer that the page asked for is swapped in. A session that has ended leads to the sign-in page and back here;
// after a failure the page stays as it is, so that nothing is lost, and says so.
document.addEventListener("htmx:before:response", (event) => {
  const { raw, status: code } = event.detail.ctx.response;
  if (raw.redirected && new URL(raw.url).pathname === "/sign-in") {
    event.preventDefault();
    location.assign(`/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`);
  } else if (code >= 400) {
    event.preventDefault();
    announce(status()?.dataset.failed, true);
  }
});
document.addEventListener("htmx:after:swap", appeared);
document.addEventListener("htmx:error", () => announce(status()?.dataset[navigator.onLine ? "failed" : "offline"], true));

appeared();
