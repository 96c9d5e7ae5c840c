import { buildUrl, type Request } from './client.ts';

export type Language = 'curl' | 'typescript' | 'python';

/**
 * Builds a code sample that sends a request from outside the console. The sample reads the API key from an
 * environment variable.
 */
export function buildSample(language: Language, request: Request): string {
  return { curl, typescript, python }[language](request);
}

const buildAbsoluteUrl = (request: Request) => location.origin + buildUrl(request);
const indentLines = (text: string, spaces: number) => text.replaceAll('\n', `\n${' '.repeat(spaces)}`);
const toJson = (body: unknown) => JSON.stringify(body, null, 2);
/**
 * Returns true if the request uploads a form. The sample then sends `document.pdf` in place of the form's
 * file.
 */
const hasFile = ({ body }: Request) => body instanceof FormData;

function curl(request: Request): string {
  const { method, body } = request;
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${quoted(buildAbsoluteUrl(request))}`,
    `-H "Authorization: Bearer $SLUICE_API_KEY"`,
  ];
  if (hasFile(request)) lines.push('-F upload_file=@document.pdf');
  else if (body !== undefined)
    lines.push("-H 'Content-Type: application/json'", `-d ${quoted(toJson(body))}`);
  return lines.join(' \\\n  ');
}

function typescript(request: Request): string {
  const { method, body } = request;
  const lines = [
    ...(method === 'GET' ? [] : [`method: '${method}',`]),
    body === undefined || hasFile(request)
      ? 'headers: { authorization: `Bearer ${process.env.SLUICE_API_KEY}` },'
      : "headers: { authorization: `Bearer ${process.env.SLUICE_API_KEY}`, 'content-type': 'application/json' },",
    ...(hasFile(request) ? ['body: form,'] : []),
    ...(body !== undefined && !hasFile(request) ? [`body: JSON.stringify(${toJson(body)}),`] : []),
  ];
  const form = hasFile(request)
    ? "import { openAsBlob } from 'node:fs';\n\nconst form = new FormData();\nform.append('upload_file', await openAsBlob('document.pdf'), 'document.pdf');\n"
    : '';
  return `${form}const answer = await fetch('${buildAbsoluteUrl(request)}', {\n  ${indentLines(lines.join('\n'), 2)}\n});\nconsole.log(await answer.json());`;
}

function python(request: Request): string {
  const { method, body } = request;
  const lines = [
    `"${buildAbsoluteUrl(request)}",`,
    'headers={"Authorization": f"Bearer {os.environ[\'SLUICE_API_KEY\']}"},',
    ...(hasFile(request) ? ['files={"upload_file": open("document.pdf", "rb")},'] : []),
    ...(body !== undefined && !hasFile(request) ? [`json=${toPython(body)},`] : []),
  ];
  const call = `requests.${method.toLowerCase()}(\n    ${indentLines(lines.join('\n'), 4)}\n)`;
  return `import os\nimport requests\n\nanswer = ${call}\nprint(answer.json())`;
}

/** Formats a JSON value as a Python literal. */
function toPython(value: unknown, indent = 0): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  const inside = ' '.repeat(indent + 4);
  const [open, close, parts] = Array.isArray(value)
    ? ['[', ']', value.map((each) => toPython(each, indent + 4))]
    : [
        '{',
        '}',
        Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: ${toPython(each, indent + 4)}`),
      ];
  if (parts.length === 0) return open + close;
  return `${open}\n${parts.map((part) => `${inside}${part},\n`).join('')}${' '.repeat(indent)}${close}`;
}
