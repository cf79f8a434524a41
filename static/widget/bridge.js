/**
 * The chat's side of the widget: MCP Apps 2026-01-26 over postMessage, or `window.openai` where that is all there is.
 *
 * `connect(handlers)` resolves to { call, context, message, openLink, fullScreen, measure, save, saved } once the host has answered.
 * What a host may refuse resolves to null then.
 * Handlers: input(arguments), result(CallToolResult), cancelled(), context(changes), teardown().
 */

const VERSION = "2026-01-26";
const ANSWER_MS = 20_000;
const GREETING_MS = 400; // where there are globals as well, nobody waits long for a protocol that may not be spoken

class HostError extends Error {}

/** JSON-RPC with the window above. */
function wire(receive) {
  const waiting = new Map();
  let last = 0;
  const post = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  addEventListener("message", (event) => {
    const message = event.data;
    if (event.source !== parent || message?.jsonrpc !== "2.0") return;
    if (message.method) {
      const result = receive(message.method, message.params ?? {});
      if (message.id === undefined) return;
      if (!result) post({ id: message.id, error: { code: -32601, message: "Method not found" } });
      else Promise.resolve(result).then(() => post({ id: message.id, result: {} }));
      return;
    }
    const asked = waiting.get(message.id);
    if (!asked) return;
    waiting.delete(message.id);
    clearTimeout(asked.timer);
    if (message.error) asked.reject(Object.assign(new HostError(message.error.message), { told: true }));
    else asked.resolve(message.result ?? {});
  });
  return {
    notify: (method, params = {}) => post({ method, params }),
    request: (method, params = {}, milliseconds = ANSWER_MS) =>
      new Promise((resolve, reject) => {
        const id = ++last;
        const timer = setTimeout(() => {
          waiting.delete(id);
          reject(new HostError("no answer"));
        }, milliseconds);
        waiting.set(id, { resolve, reject, timer });
        post({ id, method, params });
      }),
  };
}

async function standard(handlers) {
  const host = wire((method, params) => {
    if (method === "ui/notifications/tool-input") handlers.input(params.arguments ?? {});
    else if (method === "ui/notifications/tool-result") handlers.result(params);
    else if (method === "ui/notifications/tool-cancelled") handlers.cancelled();
    else if (method === "ui/notifications/host-context-changed") handlers.context(params);
    else if (method === "ui/resource-teardown") return handlers.teardown();
    else if (method !== "ping") return null;
    return {};
  });
  const answer = await host.request(
    "ui/initialize",
    { protocolVersion: VERSION, appInfo: { name: "loci-study", title: "Loci", version: "1" }, appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] } },
    window.openai ? GREETING_MS : ANSWER_MS,
  );
  const can = answer.hostCapabilities ?? {};
  handlers.context(answer.hostContext ?? {});
  host.notify("ui/notifications/initialized");
  const measure = measuring((width, height) => host.notify("ui/notifications/size-changed", { width, height }));
  const text = (words) => [{ type: "text", text: words }];
  // A host may refuse what is a courtesy to it: null then.
  const quietly = (method, params) => host.request(method, params).then((result) => (result.isError ? null : result), () => null);
  return {
    call: (name, given) => host.request("tools/call", { name, arguments: given }),
    context: (words) => quietly("ui/update-model-context", { content: text(words) }),
    message: can.message ? (words) => quietly("ui/message", { role: "user", content: text(words) }) : null,
    openLink: can.openLinks ? (url) => quietly("ui/open-link", { url }) : null,
    fullScreen: async (mode) => handlers.context({ displayMode: (await quietly("ui/request-display-mode", { mode }))?.mode }),
    measure,
    save: () => {},
    saved: null,
  };
}

/** Tells the size of the document when it changes; a full screen has the size that the host gives it. */
function measuring(tell) {
  const measure = () => {
    if (document.documentElement.dataset.mode === "fullscreen") return;
    const box = document.documentElement.getBoundingClientRect();
    tell(Math.ceil(box.width), Math.ceil(box.height));
  };
  new ResizeObserver(measure).observe(document.documentElement);
  return measure;
}

/** ChatGPT before it spoke the protocol: globals instead of messages. */
function compatible(handlers) {
  const host = window.openai;
  const context = () =>
    handlers.context({
      theme: host.theme,
      displayMode: host.displayMode,
      locale: host.locale,
      availableDisplayModes: host.requestDisplayMode ? ["inline", "fullscreen"] : [],
      safeAreaInsets: host.safeArea?.insets,
      containerDimensions: { maxHeight: host.maxHeight },
    });
  // What was set last may not be in the globals yet.
  let state = host.widgetState ?? {};
  const keep = (more) => host.setWidgetState?.((state = { ...state, ...more }));
  const quietly = async (promise) => {
    try {
      return (await promise()) ?? {};
    } catch {
      return null;
    }
  };
  addEventListener("openai:set_globals", (event) => {
    context();
    const fresh = event.detail?.globals ?? {};
    if (fresh.toolInput) handlers.input(fresh.toolInput);
    if (fresh.toolOutput) handlers.result({ structuredContent: fresh.toolOutput });
  });
  context();
  if (host.toolInput) handlers.input(host.toolInput);
  if (host.toolOutput) handlers.result({ structuredContent: host.toolOutput });
  const measure = measuring((_, height) => host.notifyIntrinsicHeight?.(height));
  return {
    call: async (name, given) => {
      const answer = await host.callTool(name, given);
      return answer?.structuredContent || answer?.isError ? answer : { structuredContent: answer };
    },
    context: (words) => keep({ modelContent: words }),
    message: host.sendFollowUpMessage ? (words) => quietly(() => host.sendFollowUpMessage({ prompt: words })) : null,
    openLink: host.openExternal ? (href) => quietly(() => host.openExternal({ href })) : null,
    fullScreen: async (mode) => {
      await quietly(() => host.requestDisplayMode({ mode }));
      context();
    },
    measure,
    save: keep,
    saved: host.widgetState ?? null,
  };
}

export async function connect(handlers) {
  try {
    return await standard(handlers);
  } catch (error) {
    if (!window.openai) throw error;
    return compatible(handlers);
  }
}
