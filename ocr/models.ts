import { MODELS } from './languages.ts';

/** SHA-256 checksums of the compressed models, in hexadecimal, by Tesseract's name for the language. */
type Checksums = Record<string, string>;

let known: Promise<Checksums> | undefined;

function readChecksums(assets: Fetcher): Promise<Checksums> {
  known ??= assets
    .fetch('http://assets/models.json')
    .then((answer) => answer.json<Checksums>())
    .catch((error) => {
      known = undefined;
      throw error;
    });
  return known;
}

/**
 * Returns the names of the installed OCR models, which are Tesseract's names for languages, such as `eng`.
 */
export async function listInstalledModels(assets: Fetcher): Promise<string[]> {
  return Object.keys(await readChecksums(assets));
}

/** Loads a model. Throws an `Error` if the model is missing or differs from its checksum. */
export async function loadModel(assets: Fetcher, name: string): Promise<Uint8Array> {
  const file = `${name}.traineddata.gz`;
  const answer = await assets.fetch(`http://assets/${file}`);
  if (!answer.ok) throw new Error(`the OCR model ${name} could not be loaded: status ${answer.status}`);
  const compressed = await answer.arrayBuffer();
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', compressed));
  const checksum = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
  if (checksum !== (await readChecksums(assets))[name])
    throw new Error(`the OCR model ${file} is damaged; run \`npm run build\` to copy it again`);
  const unpacked = new Blob([compressed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(unpacked).arrayBuffer());
}

/** Explains how to install the models for languages of the parse parameters. */
export function describeInstallation(languages: readonly string[]): string {
  const packages = languages.flatMap((code) => (MODELS[code] ? [`@tesseract.js-data/${MODELS[code]}`] : []));
  const unknown = languages.filter((code) => !MODELS[code]);
  const advice = [
    ...(packages.length > 0 ? [`run \`npm install ${packages.join(' ')}\` and \`npm run build\``] : []),
    ...(unknown.length > 0 ? [`there is no model for ${unknown.join(', ')}`] : []),
  ];
  return advice.join('; ');
}
