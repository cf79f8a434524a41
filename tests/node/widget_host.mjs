/** A chat for the tests: the official client and host class around the widget, which stands in two frames on another origin. */

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { AppBridge, PostMessageTransport, RESOURCE_MIME_TYPE, getToolUiResourceUri, isToolVisibilityAppOnly } from "@modelcontextprotocol/ext-apps/app-bridge";

const query = new URLSearchParams(location.search);
const chat = (window.chat = { log: [], sizes: 0, lose: 0, drop: 0, dead: false, refuse: false, say: null, instead: null });
const can = { openLinks: {}, serverTools: {}, updateModelContext: { text: {} }, message: { text: {} } };
for (const name of (query.get("without") ?? "").split(",")) delete can[name];

const context = {
  theme: query.get("theme") ?? "light",
  displayMode: "inline",
  availableDisplayModes: query.get("modes") === "odd" ? "inline" : query.get("modes") === "inline" ? ["inline"] : ["inline", "fullscreen"],
  ...(query.get("room") && { containerDimensions: { maxHeight: Number(query.get("room")) } }),
  locale: "en-US",
  timeZone: "UTC",
  safeAreaInsets: { top: 0, right: 0, bottom: 10, left: 0 },
  styles: { variables: { "--color-text-primary": query.get("theme") === "dark" ? "rgb(240, 240, 240)" : "rgb(20, 20, 20)" } },
};

async function run() {
  const given = JSON.parse(query.get("arguments") ?? "{}");
  const name = query.get("tool") ?? "render_study_session";
  const client = new Client(
    { name: "test-chat", version: "1" },
    { versionNegotiation: { mode: query.get("era") ?? "legacy" } },
  );
  await client.connect(
    new StreamableHTTPClientTransport(new URL(query.get("server")), { requestInit: { headers: { Authorization: `Bearer ${query.get("key")}` } } }),
  );
  chat.era = client.getNegotiatedProtocolVersion?.();
  chat.extensions = client.getServerCapabilities()?.extensions;
  const { tools } = await client.listTools();
  chat.modelTools = tools.filter((tool) => !isToolVisibilityAppOnly(tool)).map((tool) => tool.name);
  const uri = getToolUiResourceUri(tools.find((tool) => tool.name === name));
  const { contents } = await client.readResource({ uri });
  if (contents[0].mimeType !== RESOURCE_MIME_TYPE) throw new Error(`the widget is ${contents[0].mimeType}`);
  const ui = contents[0]._meta?.ui ?? {};

  const frame = document.createElement("iframe");
  frame.id = "sandbox";
  frame.title = "The app";
  frame.style.cssText = "width:100%;height:200px;border:0";
  frame.setAttribute("sandbox", `allow-scripts allow-same-origin ${query.get("forms") === "no" ? "" : "allow-forms"}`);
  const source = new URL("/sandbox.html", location.href);
  source.hostname = "localhost";
  source.searchParams.set("csp", JSON.stringify(ui.csp ?? {}));
  source.searchParams.set("forms", query.get("forms") ?? "yes");
  const ready = new Promise((resolve) => {
    addEventListener("message", (event) => event.data?.method === "ui/notifications/sandbox-proxy-ready" && resolve());
  });
  frame.src = source.href;
  document.body.append(frame);
  await ready;

  const bridge = (chat.bridge = new AppBridge(
    client,
    { name: "test-chat", version: "1" },
    can,
    { hostContext: context },
  ));
  bridge.onmessage = async (params) => (chat.log.push(["message", params]), {});
  bridge.onupdatemodelcontext = async (params) => (chat.log.push(["context", params]), {});
  bridge.onopenlink = async (params) => {
    chat.log.push(["link", params]);
    return chat.refuse ? { isError: true } : {};
  };
  bridge.onrequestdisplaymode = async ({ mode }) => {
    bridge.setHostContext({ ...context, displayMode: mode });
    return { mode };
  };
  bridge.addEventListener("sizechange", ({ height }) => {
    chat.height = height;
    chat.sizes += 1;
    if (height) frame.style.height = `${height}px`;
  });
  const initialized = new Promise((resolve) => bridge.addEventListener("initialized", resolve));
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  bridge.oncalltool = async (params) => {
    chat.log.push(["tool", params]);
    if (chat.dead) throw new Error("the chat is away");
    if (chat.drop > 0) {
      chat.drop -= 1;
      throw new Error("not passed on");
    }
    if (chat.say) {
      const code = chat.say;
      chat.say = null;
      return { isError: true, content: [{ type: "text", text: `[${code}] The deck is not there.` }], _meta: { "loci/error": { code } } };
    }
    const answer = await client.callTool({ name: params.name, arguments: params.arguments });
    if (chat.instead) {
      answer.structuredContent.html = chat.instead;
      chat.instead = null;
    }
    if (chat.lose > 0) {
      chat.lose -= 1;
      throw new Error("the answer was lost");
    }
    return answer;
  };
  await bridge.sendSandboxResourceReady({ html: contents[0].text, csp: ui.csp });
  await initialized;
  await bridge.sendToolInput({ arguments: given });
  if (query.get("result") === "cancelled") await bridge.sendToolCancelled({ reason: "denied" });
  else if (query.get("result") === "late") {
    await new Promise((resolve) => setTimeout(resolve, 3000));
    chat.result = await client.callTool({ name, arguments: given });
    await bridge.sendToolResult(chat.result);
  } else if (query.get("result") === "refused") await bridge.sendToolResult({ isError: true, content: [{ type: "text", text: "[PLAN] Another plan is needed." }] });
  else if (query.get("result") === "bare") {
    await client.callTool({ name, arguments: given });
    await bridge.sendToolResult({ content: [{ type: "text", text: "Done" }] });
  } else if (query.get("result") === "again") {
    await bridge.sendToolResult({ content: [], structuredContent: { sessionId: Number(query.get("session")) } });
  } else if (query.get("result") !== "lost") {
    chat.result = await client.callTool({ name, arguments: given });
    chat.resultAt = performance.now();
    await bridge.sendToolResult(chat.result);
  }
  chat.ready = true;
}

run().catch((error) => {
  chat.failed = String(error?.stack ?? error);
});
