/** Sample requests of an operation in three languages. They run as written when STOCKROOM_API_KEY is set, and need no packages. */
import { API_KEY, IDEMPOTENCY_KEY, formatHeaderName } from '../headers.ts';
import { type Operation, isIdempotent } from '../operation.ts';

/** An entry of `x-codeSamples`, which API reference viewers show next to the operation. */
export interface CodeSample {
  readonly lang: string;
  readonly label: string;
  readonly source: string;
}

interface SampleRequest {
  readonly method: string;
  readonly url: string;
  /** Whether the request needs a new idempotency key. */
  readonly isIdempotent: boolean;
  readonly body: unknown;
  readonly hasResult: boolean;
}

const VARIABLE = 'STOCKROOM_API_KEY';
const KEY_HEADER = formatHeaderName(API_KEY);
const IDEMPOTENCY_HEADER = formatHeaderName(IDEMPOTENCY_KEY);
const INDENT = '  ';

export function buildCodeSamples(op: Operation, baseUrl: string): readonly CodeSample[] {
  const request = toSampleRequest(op, baseUrl);
  return [
    { lang: 'Shell', label: 'curl', source: toCurl(request) },
    { lang: 'JavaScript', label: 'JavaScript', source: toJavaScript(request) },
    { lang: 'Python', label: 'Python', source: toPython(request) },
  ];
}

function toSampleRequest(op: Operation, baseUrl: string): SampleRequest {
  const path = op.path.replaceAll(/\{(\w+)\}/gu, (_all, name: string) => encodeURIComponent(op.example?.params?.[name] ?? name));
  const query = new URLSearchParams(op.example?.query).toString();
  return {
    method: op.method,
    url: `${baseUrl}${path}${query === '' ? '' : `?${query}`}`,
    isIdempotent: isIdempotent(op),
    body: op.example?.body,
    hasResult: op.result !== null,
  };
}

function toCurl({ method, url, isIdempotent: isWrite, body }: SampleRequest): string {
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}"${url}"`,
    `-H "${KEY_HEADER}: $${VARIABLE}"`,
    ...(isWrite ? [`-H "${IDEMPOTENCY_HEADER}: $(date +%s%N)"`] : []),
    ...(body === undefined ? [] : ['-H "Content-Type: application/json"', `-d '${formatJson(body).replaceAll("'", String.raw`'\''`)}'`]),
  ];
  return lines.join(` \\\n${INDENT}`);
}

function toJavaScript({ method, url, isIdempotent: isWrite, body, hasResult }: SampleRequest): string {
  const headers = [
    `'${KEY_HEADER}': process.env.${VARIABLE},`,
    ...(isWrite ? [`'${IDEMPOTENCY_HEADER}': crypto.randomUUID(),`] : []),
    ...(body === undefined ? [] : ["'Content-Type': 'application/json',"]),
  ];
  return [
    `const response = await fetch('${url}', {`,
    ...(method === 'GET' ? [] : [`${INDENT}method: '${method}',`]),
    `${INDENT}headers: {`,
    ...headers.map((line) => INDENT + INDENT + line),
    `${INDENT}},`,
    ...(body === undefined ? [] : [`${INDENT}body: JSON.stringify(${indentRest(formatJson(body), INDENT)}),`]),
    '});',
    `console.log(response.status${hasResult ? ', await response.json()' : ''});`,
  ].join('\n');
}

function toPython({ method, url, isIdempotent: isWrite, body, hasResult }: SampleRequest): string {
  const indent = INDENT + INDENT;
  const modules = [...(body === undefined && !hasResult ? [] : ['json']), 'os', 'urllib.request', ...(isWrite ? ['uuid'] : [])];
  const headers = [
    `"${KEY_HEADER}": os.environ["${VARIABLE}"],`,
    ...(isWrite ? [`"${IDEMPOTENCY_HEADER}": str(uuid.uuid4()),`] : []),
    ...(body === undefined ? [] : ['"Content-Type": "application/json",']),
  ];
  return [
    `import ${modules.join(', ')}`,
    '',
    'request = urllib.request.Request(',
    `${indent}"${url}",`,
    ...(method === 'GET' ? [] : [`${indent}method="${method}",`]),
    `${indent}headers={`,
    ...headers.map((line) => indent + indent + line),
    `${indent}},`,
    ...(body === undefined ? [] : [`${indent}data=json.dumps(${indentRest(toPythonLiteral(body), indent)}).encode(),`]),
    ')',
    'with urllib.request.urlopen(request) as response:',
    `${indent}print(response.status${hasResult ? ', json.load(response)' : ''})`,
  ].join('\n');
}

const formatJson = (value: unknown): string => JSON.stringify(value, null, INDENT.length);

const indentRest = (text: string, indent: string): string => text.replaceAll('\n', `\n${indent}`);

/** JSON with the constants of Python. Only lines of formatted JSON that are not strings end in a bare constant. */
const toPythonLiteral = (value: unknown): string =>
  formatJson(value)
    .split('\n')
    .map((line) =>
      line.replace(
        /(^|[ :])(true|false|null)(,?)$/u,
        (_all, before: string, word: string, after: string) => `${before}${PYTHON_CONSTANTS[word] ?? word}${after}`,
      ),
    )
    .join('\n');

const PYTHON_CONSTANTS: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' };
