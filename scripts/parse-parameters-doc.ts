import { readFileSync, writeFileSync } from 'node:fs';
import type { Effect, ParameterDefinition } from '#src/parse/parameters/define.ts';
import { PARAMETER_GROUPS } from '#src/parse/parameters/parameters.ts';

/**
 * Generates docs/reference/parse-parameters.md from the declarations in src/parse/parameters. `--check` fails
 * if the file is out of date.
 */

const FILE = 'docs/reference/parse-parameters.md';

const EFFECT_TITLES: Record<Effect, string> = {
  reading: 'what is read',
  model: 'what is read, by a language model',
  input: 'which file is read',
  output: 'what is delivered',
  reporting: 'who is notified',
  scheduling: 'scheduling and caching',
  none: 'nothing',
};

const INTRODUCTION = `# Parse parameters

This page lists every parameter that changes how a file is parsed. You set them on a parse job (\`POST /api/v2/parse\`), in a
saved configuration, or as \`parse_parameters\` of a pipeline. For example, this reads the first ten pages and leaves running
headers out:

\`\`\`json
{ "max_pages": 10, "hide_headers": true }
\`\`\`

- A value of a wrong type or out of range is refused with 422, and the answer names the parameter.
- \`null\` means the same as leaving a parameter out. So does an empty text, if the parameter accepts only certain texts.
- Instructions and prompts have at most 20,000 characters, other texts and keys at most 2,000, JSON at most 100,000.
- A parameter that changes what is read *by a language model* needs a configured model, see
  [read pages with a model](../how-to/read-pages-with-a-model.md). Without a model, or in a mode that calls none, the answer
  says in \`warnings\` that the parameter has no effect.
- A parameter that has no effect for any other reason is also named in \`warnings\`.

This page is generated from \`src/parse/parameters\` by \`node scripts/parse-parameters-doc.ts\`.
`;

const escapeCell = (text: string) => text.replace(/\|/g, '\\|').replace(/\s+/g, ' ');

function writeRow(name: string, { type, effect, options }: ParameterDefinition): string {
  const note = options.withoutEffectInPipelines ? ' No effect in a pipeline.' : '';
  const cells = [
    `\`${name}\``,
    type,
    options.default ?? '',
    EFFECT_TITLES[effect],
    options.description + note,
  ];
  return `| ${cells.map(escapeCell).join(' | ')} |`;
}

const groups = Object.values(PARAMETER_GROUPS).map(({ title, parameters }) => {
  const rows = Object.entries<ParameterDefinition>(parameters)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, definition]) => writeRow(name, definition));
  const head = '| parameter | type | default | changes | description |\n|---|---|---|---|---|';
  return `## ${title}\n\n${head}\n${rows.join('\n')}\n`;
});
const document = [INTRODUCTION, ...groups].join('\n');

if (!process.argv.includes('--check')) writeFileSync(FILE, document);
else if (readFileSync(FILE, 'utf8') !== document) {
  console.error(`${FILE} is out of date: run \`node scripts/parse-parameters-doc.ts\``);
  process.exit(1);
}
