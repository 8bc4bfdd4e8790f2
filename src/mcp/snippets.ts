/** What goes into the settings of programs that use tool servers. No key is ever in it: such files are shared and backed up. */

/** A server that the client starts, or one that it calls. */
export type Connection =
  | { readonly command: string; readonly args: readonly string[]; readonly env?: Readonly<Record<string, string>> }
  | { readonly url: string };

interface Client {
  readonly label: string;
  /** Where the snippet goes. */
  readonly place: string;
  /** How this client writes a value that it takes from elsewhere, for the key of a server that it calls; without it, it only starts servers. */
  readonly keyPlaceholder?: string;
  readonly around: (server: object) => object;
}

const NAME = 'stockroom';
const inMcpServers = (server: object): object => ({ mcpServers: { [NAME]: server } });

export const CLIENTS = {
  'claude-code': {
    label: 'Claude Code',
    place: '.mcp.json in the project',
    keyPlaceholder: '${STOCKROOM_API_KEY}',
    around: inMcpServers,
  },
  'claude-desktop': { label: 'Claude Desktop', place: 'claude_desktop_config.json (Settings, Developer)', around: inMcpServers },
  cursor: {
    label: 'Cursor',
    place: '.cursor/mcp.json in the project or in the home directory',
    keyPlaceholder: '${env:STOCKROOM_API_KEY}',
    around: inMcpServers,
  },
  vscode: {
    label: 'VS Code',
    place: '.vscode/mcp.json in the project',
    keyPlaceholder: '${input:stockroom-key}',
    around: (server) => ({
      servers: { [NAME]: server },
      ...('url' in server
        ? { inputs: [{ type: 'promptString', id: 'stockroom-key', description: 'Key of stockroom', password: true }] }
        : {}),
    }),
  },
} as const satisfies Readonly<Record<string, Client>>;

export type ClientName = keyof typeof CLIENTS;
export const CLIENT_NAMES = Object.keys(CLIENTS) as readonly ClientName[];
export const clientOf = (name: ClientName): Client => CLIENTS[name];

/** Undefined: this client does not call servers, it only starts them. */
export function snippet(name: ClientName, connection: Connection): object | undefined {
  const { keyPlaceholder, around } = clientOf(name);
  if (!('url' in connection)) return around({ type: 'stdio', ...connection });
  if (keyPlaceholder === undefined) return undefined;
  return around({ type: 'http', url: connection.url, headers: { Authorization: `Bearer ${keyPlaceholder}` } });
}
