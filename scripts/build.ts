import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Puts together the static assets that the Worker serves. Quick, so that every command may run it. */
export function build(): void {
  const require = createRequire(import.meta.url);
  const swagger = dirname(require.resolve('swagger-ui-dist/package.json'));
  mkdirSync('public/docs', { recursive: true });
  for (const file of ['swagger-ui.css', 'swagger-ui-bundle.js']) {
    put(join('public/docs', file), readFileSync(join(swagger, file)));
  }
  put('public/docs/start.js', readFileSync('src/api/docs/start.js'));
  put('public/robots.txt', 'User-agent: *\nDisallow: /\n');
  putOcrModels(join(dirname(require.resolve('@tesseract.js-data/eng/package.json')), '..'));
}

/** Every installed language model goes beside the OCR Worker, with a list of them. */
function putOcrModels(packages: string): void {
  mkdirSync('ocr/public', { recursive: true });
  const models = readdirSync(packages).filter((language) => {
    const file = `${language}.traineddata.gz`;
    const model = join(packages, language, '4.0.0_best_int', file);
    if (!existsSync(model)) return false;
    if (!existsSync(join('ocr/public', file))) cpSync(model, join('ocr/public', file));
    return true;
  });
  put('ocr/public/models.json', `${JSON.stringify(models)}\n`);
}

/** Only what differs is written: a running service watches these files, and starts anew when one changes. */
function put(file: string, content: string | Buffer): void {
  const wanted = Buffer.from(content);
  if (existsSync(file) && readFileSync(file).equals(wanted)) return;
  writeFileSync(file, wanted);
}

if (import.meta.main) build();
