/**
 * Runs a Python program in the CPython of the package `pyodide`, so that the tests need no Python of the machine.
 * The program sees the working directory and the folders beside it under their real paths, the environment variables, and
 * `urllib.request` for HTTP.
 *
 *     node test/process/tutorials/python.ts program.py
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { loadPyodide } from 'pyodide';

/** Sends the request that stdin describes and prints the response. Python waits for the process. */
const SEND = `
  let text = '';
  for await (const part of process.stdin) text += part;
  const { url, method, headers, body } = JSON.parse(text);
  const response = await fetch(url, {
    method,
    headers,
    redirect: 'manual',
    ...(body !== null && { body: Buffer.from(body, 'base64') }),
  });
  const { status, statusText } = response;
  const bytes = Buffer.from(await response.arrayBuffer()).toString('base64');
  process.stdout.write(JSON.stringify({ status, statusText, headers: [...response.headers], body: bytes }));
`;

/** WebAssembly has no sockets, so `urllib` opens `http` and `https` through the process above. */
const INSTALL_TRANSPORT = `
import base64, email.message, io, json, os, urllib.request, urllib.response
import node_transport

class NodeTransport(urllib.request.BaseHandler):
    def http_open(self, request):
        body = None if request.data is None else base64.b64encode(request.data).decode()
        headers = {**request.headers, **request.unredirected_hdrs}
        answer = json.loads(node_transport.send(json.dumps(
            {"url": request.full_url, "method": request.get_method(), "headers": headers, "body": body}
        )))
        fields = email.message.Message()
        for name, value in answer["headers"]:
            fields[name] = value
        content = io.BytesIO(base64.b64decode(answer["body"]))
        response = urllib.response.addinfourl(content, fields, request.full_url, answer["status"])
        response.msg = answer["statusText"]
        return response

    https_open = http_open

class AbstractHTTP(urllib.request.AbstractHTTPHandler):
    http_request = urllib.request.AbstractHTTPHandler.do_request_
    https_request = urllib.request.AbstractHTTPHandler.do_request_

opener = urllib.request.OpenerDirector()
for handler in (
    NodeTransport, AbstractHTTP, urllib.request.HTTPErrorProcessor, urllib.request.HTTPDefaultErrorHandler,
    urllib.request.HTTPRedirectHandler, urllib.request.UnknownHandler,
):
    opener.add_handler(handler())
urllib.request.install_opener(opener)
`;

function send(request: string): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', SEND], {
    input: request,
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`The request could not be sent: ${stderr}`);
  return stdout;
}

const [, , program] = process.argv;
if (!program) throw new Error('The path of a Python program is missing.');
const decoders = { out: new TextDecoder(), error: new TextDecoder() };
const python = await loadPyodide({ env: process.env as Record<string, string> });
python.setStdout({
  write: (bytes) => write(process.stdout, decoders.out.decode(bytes, { stream: true }), bytes),
});
python.setStderr({
  write: (bytes) => write(process.stderr, decoders.error.decode(bytes, { stream: true }), bytes),
});
const visible = dirname(process.cwd());
python.mountNodeFS(visible, visible);
python.registerJsModule('node_transport', { send });
python.runPython(INSTALL_TRANSPORT);
python.runPython(`os.chdir(${JSON.stringify(process.cwd())})`);
try {
  python.runPython(readFileSync(program, 'utf8'), { filename: program });
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}

/** Returns the number of bytes that were taken, as `pyodide` asks. */
function write(stream: NodeJS.WriteStream, text: string, bytes: Uint8Array): number {
  stream.write(text);
  return bytes.length;
}
