/** A page that mimics `window.openai`: the widget in a frame whose window has the globals, tools called over HTTP. */

const query = new URLSearchParams(location.search);
const chat = (window.chat = { log: [], lose: 0 });

async function rpc(method, params) {
  const answer = await fetch(query.get("server"), {
    method: "POST",
    headers: {
      Authorization: `Bearer ${query.get("key")}`,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "Mcp-Protocol-Version": "2025-11-25",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  return (await answer.json()).result;
}

async function run() {
  const given = JSON.parse(query.get("arguments") ?? "{}");
  const { tools } = await rpc("tools/list", {});
  const uri = tools.find((tool) => tool.name === "render_study_session")._meta["openai/outputTemplate"];
  const { contents } = await rpc("resources/read", { uri });
  const saved = JSON.parse(query.get("saved") ?? "null");
  const result = saved ? {} : await rpc("tools/call", { name: "render_study_session", arguments: given });
  const frame = document.createElement("iframe");
  frame.id = "app";
  frame.title = "The app";
  frame.style.cssText = "width:100%;height:480px;border:0";
  document.body.append(frame);
  frame.contentWindow.openai = {
    theme: "dark",
    displayMode: "inline",
    locale: "en",
    safeArea: { insets: { top: 0, right: 0, bottom: 0, left: 0 } },
    toolInput: given,
    toolOutput: result.structuredContent,
    widgetState: saved,
    callTool: async (name, given) => {
      chat.log.push(["tool", { name, arguments: given }]);
      const answer = await rpc("tools/call", { name, arguments: given });
      if (chat.lose > 0) {
        chat.lose -= 1;
        throw new Error("the answer was lost");
      }
      return answer;
    },
    // As in the chat, the globals have the new state only later.
    setWidgetState: async (state) => chat.log.push(["state", state]),
    sendFollowUpMessage: (message) => chat.log.push(["message", message]),
    openExternal: (link) => chat.log.push(["link", link]),
    requestDisplayMode: async ({ mode }) => {
      frame.contentWindow.openai.displayMode = mode;
      return { mode };
    },
    notifyIntrinsicHeight: (height) => {
      chat.height = height;
      frame.style.height = `${height}px`;
    },
  };
  const openai = frame.contentWindow.openai;
  chat.set = (globals) => {
    Object.assign(frame.contentWindow.openai, globals);
    frame.contentWindow.dispatchEvent(new CustomEvent("openai:set_globals", { detail: { globals } }));
  };
  frame.contentDocument.open();
  frame.contentWindow.openai = openai;
  frame.contentDocument.write(contents[0].text);
  frame.contentDocument.close();
}

run().catch((error) => {
  chat.failed = String(error?.stack ?? error);
});
