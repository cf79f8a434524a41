/**
 * Shows how much of a file has been sent: <form data-upload> with a hidden .upload-progress in it.
 *
 * The page that answers takes the place of this one, as it would without script. Its text comes from this server alone.
 */

document.addEventListener("submit", (event) => {
  const form = event.target.closest("form[data-upload]");
  if (!form) return;
  event.preventDefault();
  const shown = form.querySelector(".upload-progress");
  const bar = shown.querySelector("progress");
  const said = shown.querySelector("[role=status]");
  const button = form.querySelector("button[type=submit], button:not([type])");
  const request = new XMLHttpRequest();
  const over = (text) => {
    said.textContent = text;
    button.disabled = false;
  };
  request.upload.addEventListener("progress", ({ loaded, total }) => {
    bar.value = total ? (100 * loaded) / total : 0;
    said.textContent = said.dataset.sent.replace("{percent}", `${Math.round(bar.value)} %`);
  });
  request.addEventListener("error", () => over(said.dataset.failed));
  request.addEventListener("load", () => {
    // A form of its own would be answered by a page: the address after the redirect, or the form with its error.
    const address = new URL(request.responseURL);
    if (address.pathname !== location.pathname) location.assign(address.pathname);
    else {
      const page = new DOMParser().parseFromString(request.responseText, "text/html");
      document.querySelector("main").replaceWith(page.querySelector("main"));
      document.querySelector("[data-autofocus], .errors")?.focus();
    }
  });
  shown.hidden = false;
  button.disabled = true;
  request.open("POST", form.action);
  request.send(new FormData(form));
});
