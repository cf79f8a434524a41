/**
 * Passkeys: adding one on the account page, signing in with one. The server makes the options and checks the answer.
 *
 *   [data-passkey=sign-in]       with a [data-passkey-button]; data-next is where to go afterwards
 *   form[data-passkey=register]  with input[name=passkey_name]
 *   [data-passkey-error]         says why it did not work: the server's words, data-held (this device has one) or data-failed
 *   [data-passkey-missing]       shown where the browser cannot
 */

class Refused extends Error {}

async function post(path, body) {
  const response = await fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify(body ?? {}),
  });
  if (response.redirected) {
    // The session has ended: the answer is the sign-in page.
    location.assign(response.url);
    return new Promise(() => {});
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refused(answer.error ?? "");
  return answer;
}

async function guarded(place, work) {
  const line = place.querySelector("[data-passkey-error]");
  const button = place.querySelector("button");
  line.hidden = true;
  button.disabled = true;
  try {
    await work();
  } catch (failure) {
    // The person closed the browser's own dialog: nothing to say.
    if (failure.name !== "NotAllowedError" && failure.name !== "AbortError") {
      const held = failure.name === "InvalidStateError" && line.dataset.held;
      line.textContent = (failure instanceof Refused && failure.message) || held || line.dataset.failed;
      line.hidden = false;
    }
    button.disabled = false;
    button.focus();
  }
}

/** To another page, or to this one anew: an address that differs in its #part alone would load nothing. */
function leave(target) {
  const url = new URL(target, location.href);
  const here = url.pathname === location.pathname && url.search === location.search;
  location.assign(url);
  if (here) location.reload();
}

const signIn = document.querySelector("[data-passkey=sign-in]");
signIn?.querySelector("[data-passkey-button]").addEventListener("click", () => guarded(signIn, async () => {
  const options = PublicKeyCredential.parseRequestOptionsFromJSON(await post("/passkeys/sign-in/options"));
  const credential = await navigator.credentials.get({ publicKey: options });
  leave((await post("/passkeys/sign-in", { credential: credential.toJSON(), next: signIn.dataset.next })).location);
}));

const register = document.querySelector("form[data-passkey=register]");
register?.addEventListener("submit", (event) => {
  event.preventDefault();
  guarded(register, async () => {
    const options = PublicKeyCredential.parseCreationOptionsFromJSON(await post("/account/passkeys/options"));
    const credential = await navigator.credentials.create({ publicKey: options });
    const name = register.elements.passkey_name.value;
    leave((await post("/account/passkeys", { credential: credential.toJSON(), name })).location);
  });
});

if (!window.PublicKeyCredential?.parseCreationOptionsFromJSON) {
  for (const place of [signIn, register]) place?.remove();
  document.querySelector("[data-passkey-missing]")?.removeAttribute("hidden");
}
