/** Asks whoever listens at a URL whether it is a daemon of ours. */

const PATIENCE_MS = 1_000;
const BODY_MAX_CHARS = 10_000;

/** The instance that answers `GET /healthz` at `url`, or undefined: nobody, somebody else, or no answer in time. */
export function askHealth(url: string, patienceMs = PATIENCE_MS): Promise<string | undefined> {
  return new Promise((resolve) => {
    const nobody = () => resolve(undefined);
    // Loaded here: a static import of node:http costs every start of the terminal 30 ms.
    const { get } = process.getBuiltinModule('node:http');
    const request = get(`${url}/healthz`, { agent: false, signal: AbortSignal.timeout(patienceMs) }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
        if (text.length > BODY_MAX_CHARS) request.destroy();
      });
      response.on('error', nobody);
      response.on('close', nobody);
      response.on('end', () => resolve(response.statusCode === 200 ? instanceOf(text) : undefined));
    });
    request.on('error', nobody);
  });
}

function instanceOf(text: string): string | undefined {
  try {
    const body = JSON.parse(text) as { status?: unknown; instanceId?: unknown } | null;
    return body?.status === 'ok' && typeof body.instanceId === 'string' ? body.instanceId : undefined;
  } catch {
    return undefined;
  }
}
