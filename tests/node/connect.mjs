// The official TypeScript client connects to the endpoint in argv, as a program does that was only given its address.
//
// What it finds it prints as lines of JSON: {step, ...}. At a line with `authorize` a person has to open that address
// and decide; where the browser then went is read from standard input.
import { createInterface } from "node:readline/promises";
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from "@modelcontextprotocol/client";

const [endpoint, mode, callback] = process.argv.slice(2);
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const say = (step, found = {}) => console.log(JSON.stringify({ step, ...found }));

class Provider {
  redirectUrl = callback;
  clientMetadata = {
    client_name: "Official TypeScript client",
    redirect_uris: [callback],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
  #asked = 0;
  state() {
    return `state-${++this.#asked}`;
  }
  currentState() {
    return `state-${this.#asked}`;
  }
  clientInformation() {
    return this.client;
  }
  saveClientInformation(client) {
    this.client = client;
  }
  tokens() {
    return this.kept;
  }
  saveTokens(tokens) {
    this.kept = tokens;
    say("tokens", { scope: tokens.scope, refreshable: Boolean(tokens.refresh_token) });
  }
  saveCodeVerifier(verifier) {
    this.verifier = verifier;
  }
  codeVerifier() {
    return this.verifier;
  }
  saveDiscoveryState(found) {
    this.discovered = found;
  }
  discoveryState() {
    return this.discovered;
  }
  redirectToAuthorization(address) {
    this.address = address;
  }
}

const provider = new Provider();
const seen = [];
const watched = async (url, options) => {
  const answer = await fetch(url, options);
  seen.push(`${options?.method ?? "GET"} ${new URL(url).pathname} ${answer.status}`);
  return answer;
};
const open = () => new StreamableHTTPClientTransport(new URL(endpoint), { authProvider: provider, fetch: watched });

async function decided(transport) {
  say("consent", { authorize: provider.address.href });
  const back = new URL((await lines.next()).value);
  if (back.searchParams.get("state") !== provider.currentState()) throw new Error("The state is another");
  await transport.finishAuth(back.searchParams);
}

async function connected() {
  const transport = open();
  const client = new Client({ name: "loci-tests", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(transport);
  return { client, transport };
}

async function afterConsent(act) {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error;
    await decided(open());
    return await act();
  }
}

const { client } = await afterConsent(connected);
say("connected", { version: client.getNegotiatedProtocolVersion(), seen: seen.splice(0) });
say("tools", { names: (await client.listTools()).tools.map((tool) => tool.name) });
const read = await client.callTool({ name: "list_decks", arguments: {} });
say("read", { decks: read.structuredContent.decks, isError: Boolean(read.isError), seen: seen.splice(0) });

provider.kept = { ...provider.kept, access_token: "expired" };
const again = await client.callTool({ name: "list_decks", arguments: {} });
say("refreshed", { isError: Boolean(again.isError), seen: seen.splice(0) });

const made = await afterConsent(() => client.callTool({ name: "create_deck", arguments: { title: "Rivers" } }));
say("wider", { title: made.structuredContent.title, scope: provider.kept.scope, seen: seen.splice(0) });
await client.close();
process.exit(0);
