/**
 * Passkeys: adding one on the account page, signing in with one. The server makes the options and checks the answer.
 *
 *   [data-passkey=sign-in]    with a [data-passkey-button]; data-next is where to go afterwards
 *   form[data-passkey=register]  with input[name=passkey_name]
 *   [data-passkey-error]      shown when it did not work
 */

const post = async (path, body) => {
  const response = await fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify(body ?? {}),
  });
  if (!response.ok) throw new Error(`${response.status}`);
  return response.json();
};

const supported = () => Boolean(window.PublicKeyCredential?.parseCreationOptionsFromJSON);

async function guarded(place, work) {
  const error = place.querySelector("[data-passkey-error]");
  error.hidden = true;
  try {
    await work();
  } catch (failure) {
    // The person closed the browser's own dialog: nothing to say.
    if (failure.name !== "NotAllowedError" && failure.name !== "AbortError") error.hidden = false;
  }
}

const signIn = document.querySelector("[data-passkey=sign-in]");
signIn?.querySelector("[data-passkey-button]").addEventListener("click", () => guarded(signIn, async () => {
  const options = PublicKeyCredential.parseRequestOptionsFromJSON(await post("/passkeys/sign-in/options"));
  const credential = await navigator.credentials.get({ publicKey: options });
  const { location: target } = await post("/passkeys/sign-in", { credential: credential.toJSON(), next: signIn.dataset.next });
  location.assign(target);
}));

const register = document.querySelector("form[data-passkey=register]");
register?.addEventListener("submit", (event) => {
  event.preventDefault();
  guarded(register, async () => {
    const options = PublicKeyCredential.parseCreationOptionsFromJSON(await post("/account/passkeys/options"));
    const credential = await navigator.credentials.create({ publicKey: options });
    const name = register.elements.passkey_name.value;
    const { location: target } = await post("/account/passkeys", { credential: credential.toJSON(), name });
    location.assign(target);
  });
});

if (!supported()) for (const place of [signIn, register]) place?.remove();
