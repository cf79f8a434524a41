/**
 * Keys and care on the study screen.
 *
 * Keys press what the page shows: an element names its keys by data-key="Digit3 Space Enter" (event codes, and Help for "?"), so the
 * server decides what exists. Nothing happens while text is composed (kana, Hangul), in a field, with a modifier, while a dialog or
 * popover is open, on a repeated key, or when data-single-keys="off" stands anywhere.
 *
 * A form in .study is sent once. input[name=elapsed_ms] gets its value plus the milliseconds since the screen was shown.
 */

const FIELDS = "textarea, select, [contenteditable], input:not([type=radio], [type=checkbox], [type=button], [type=submit])";
const CONTROLS = "a[href], button, summary, audio, input[type=radio], input[type=checkbox]";
let shown = performance.now();

function keyOf(event) {
  if (event.key === "?" || (event.code === "Slash" && event.shiftKey)) return "Help";
  if (event.shiftKey) return "";
  return event.code.replace(/^Numpad(?=\d)/, "Digit").replace(/^NumpadEnter$/, "Enter");
}

document.addEventListener("keydown", (event) => {
  // keyCode 229: Safari sends the key that ends a composition after isComposing has become false.
  if (event.defaultPrevented || event.isComposing || event.keyCode === 229 || event.repeat) return;
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (document.querySelector("[data-single-keys=off], dialog[open], :popover-open")) return;
  const key = keyOf(event);
  const focused = document.activeElement;
  if (focused?.matches(FIELDS) && key !== "Escape") return;
  // The browser itself presses a focused control.
  if ((key === "Space" || key === "Enter") && focused?.matches(CONTROLS)) return;
  const control = key && document.querySelector(`[data-key~="${CSS.escape(key)}"]:not(:disabled)`);
  if (!control || control.checkVisibility?.() === false) return;
  event.preventDefault();
  control.click();
});

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.closest(".study")) return;
  if (form.ariaBusy === "true") {
    event.preventDefault();
    event.stopImmediatePropagation();
    return;
  }
  form.ariaBusy = "true";
  const elapsed = form.querySelector("input[name=elapsed_ms]");
  if (elapsed) elapsed.value = Math.round((Number(elapsed.defaultValue) || 0) + performance.now() - shown);
}, true);

const free = () => document.querySelectorAll(".study form[aria-busy]").forEach((form) => (form.ariaBusy = null));

document.addEventListener("htmx:after:swap", () => {
  shown = performance.now();
});
document.addEventListener("htmx:finally:request", free);
// The page may come back from the cache with its forms still marked.
addEventListener("pageshow", free);
