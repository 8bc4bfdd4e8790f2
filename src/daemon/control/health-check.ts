export const HEALTH_CHECK_TIMEOUT_MS = 1_000;
const BODY_MAX_CHARS = 10_000;

/** The id of the daemon instance that answers `GET /healthz` at `url`; undefined when no daemon answers in time. */
export function fetchInstanceId(url: string, timeoutMs = HEALTH_CHECK_TIMEOUT_MS): Promise<string | undefined> {
  return new Promise((resolve) => {
    const fail = () => resolve(undefined);
    // Loaded on use: a static import of node:http would add 30 ms to the start of every command.
    const { get } = process.getBuiltinModule('node:http');
    const request = get(`${url}/healthz`, { agent: false, signal: AbortSignal.timeout(timeoutMs) }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
        if (text.length > BODY_MAX_CHARS) request.destroy();
      });
      response.on('error', fail);
      response.on('close', fail);
      response.on('end', () => resolve(response.statusCode === 200 ? parseInstanceId(text) : undefined));
    });
    request.on('error', fail);
  });
}

function parseInstanceId(text: string): string | undefined {
  try {
    const body = JSON.parse(text) as { status?: unknown; instanceId?: unknown } | null;
    return body?.status === 'ok' && typeof body.instanceId === 'string' ? body.instanceId : undefined;
  } catch {
    return undefined;
  }
}
