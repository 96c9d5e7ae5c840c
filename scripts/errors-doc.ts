import { readFileSync, writeFileSync } from 'node:fs';
import { ERROR_STATUS } from '#src/api/http/error-status.ts';
import { PARSE_FAILURE_HELP } from '#src/documents/errors.ts';
import { ERROR_HELP, type ErrorHelp } from '#src/lib/error-help.ts';
import type { ErrorCode } from '#src/lib/errors.ts';

/**
 * Generates docs/errors.md from the explanations beside the error codes. With `--check` it fails if the page is out of
 * date.
 */

const FILE = 'docs/errors.md';

const INTRODUCTION = `# Errors

This page explains every error code of Sluice: what happened, the usual cause, and what you can do.

An error of the API is JSON with a code, a message and the id of the request:

\`\`\`json
{
  "detail": "Pipeline 7f3c… not found",
  "code": "not_found",
  "request_id": "3f1c7c1e-6f5b-4f0e-9d0a-5d8f6c1b2a30",
  "retryable": false
}
\`\`\`

- \`code\` never changes its meaning. Let your program decide by \`code\` and \`retryable\`, not by the message.
- \`retryable\` says whether the same request may succeed later. \`Retry-After\` says after how many seconds.
- \`detail\` of \`invalid\` is a list: each entry names the field in \`loc\` and what is allowed in \`msg\`.
- The log contains the \`request_id\`, so an operator can find the request.

Addresses below \`/compat\` and \`/openai\` use the error format of their clients, with the same statuses where these
clients allow it.

The exit codes of the server are in [commands](reference/cli.md#exit-codes-of-npm-start).

This page is generated from \`src/lib/error-help.ts\` and \`src/documents/errors.ts\` by \`node scripts/errors-doc.ts\`.
`;

const FAILURES = `## Files that cannot be parsed

A file that cannot be parsed gets the status \`ERROR\`, and its job the status \`ERROR\` or \`FAILED\`. The message begins
with one of these codes. Other files are not affected. After you have replaced the file or changed the settings, the next sync
tries it again. [Debug a failed file](how-to/debug-a-failed-file.md) shows where to look.
`;

function describe(title: string, { meaning, cause, remedy }: ErrorHelp): string {
  return `### ${title}\n\n${meaning}\n\n- **Cause**: ${cause}\n- **What to do**: ${remedy}\n`;
}

const codes = (Object.keys(ERROR_HELP) as ErrorCode[]).toSorted((a, b) => ERROR_STATUS[a] - ERROR_STATUS[b]);

const page = [
  INTRODUCTION,
  '## Codes of the API\n',
  ...codes.map((code) => describe(`\`${code}\` (${ERROR_STATUS[code]})`, ERROR_HELP[code])),
  FAILURES,
  ...Object.entries(PARSE_FAILURE_HELP).map(([code, help]) => describe(`\`${code}\``, help)),
].join('\n');

if (!process.argv.includes('--check')) writeFileSync(FILE, page);
else if (readFileSync(FILE, 'utf8') !== page) {
  console.error(`${FILE} is out of date: run \`node scripts/errors-doc.ts\``);
  process.exit(1);
}
