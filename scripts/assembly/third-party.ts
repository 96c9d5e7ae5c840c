import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { WORKERS } from '../build-workers.ts';
import type { Lock } from './runtime-package.ts';
import { packageName } from './source-files.ts';

/** Licence notice of a package that is distributed with Sluice. */
export interface Notice {
  /** Name and version of the package, such as `zod 4.6.7`. */
  title: string;
  /** SPDX identifier of the licence, as the package states it. */
  license: string;
  /** Text of the package's licence and notice files. Empty if the package has none. */
  text: string;
}

const LICENSE_FILE = /^(?:licen[cs]e|copying|copyright|notice)|\.licen[cs]e\.txt$/i;
const EXTERNAL_FILE = /'([^']+\.(?:wasm|ttf))'/g;
/** Packages from which scripts/build.ts copies files into the static files. */
const STATIC_PACKAGES = ['swagger-ui-dist', '@tesseract.js-data/*'];
/**
 * Licences of the packages in the console's bundle. The console's build writes this file, see
 * console/vite.config.ts.
 */
const CONSOLE_NOTICES = 'public/console/licenses.json';
/**
 * List of the package folders from which the guide was bundled. The guide's build writes this file, see
 * docs/.vitepress/config.ts.
 */
const GUIDE_PACKAGES = 'public/docs/guide/packages.json';

/** Collects the licence notices of everything that an assembled folder contains or installs. */
export function collectNotices(runtime: Lock): Notice[] {
  const inputs = Object.values(WORKERS).flatMap(({ config }) => bundleInputs(config));
  const installed = Object.keys(runtime.packages).filter((path) => path !== '' && existsSync(path));
  const folders = [
    ...inputs.flatMap((file) => packageFolder(file) ?? []),
    ...inputs.filter((file) => !packageFolder(file)).flatMap(externalPackages),
    ...globSync(STATIC_PACKAGES.map((name) => `node_modules/${name}`)),
    ...(JSON.parse(readFileSync(GUIDE_PACKAGES, 'utf8')) as string[]),
    ...installed,
  ];
  const data = new Set(inputs.filter((file) => !packageFolder(file) && existsSync(file)).map(dirname));
  const notices = [
    ...[...new Set(folders)].map(readNotice),
    ...consoleNotices(),
    ...[...data].flatMap(readDataNotices),
  ];
  const byTitle = new Map(notices.map((notice) => [notice.title, notice]));
  return [...byTitle.values()].toSorted((a, b) => a.title.localeCompare(b.title, 'en'));
}

/** Formats notices as a Markdown document. A text shared by several packages is printed once. */
export function formatNotices(notices: readonly Notice[]): string {
  const table = notices.map(({ title, license }) => `| ${title} | ${license} |`);
  const byText = Map.groupBy(
    notices.filter(({ text }) => text !== ''),
    ({ text }) => text,
  );
  const texts = [...byText].map(([text, sharing]) => {
    const titles = sharing.map(({ title }) => title).join(', ');
    return `## ${titles}\n\n${text.replaceAll(/^/gm, '    ').replaceAll(/[ \t]+$/gm, '')}\n`;
  });
  return [
    '# Third-party software',
    '',
    'Sluice contains or installs the following packages under their own licences. Texts follow the table.',
    '',
    '| package | licence |',
    '|---|---|',
    ...table,
    '',
    ...texts,
  ].join('\n');
}

/** Lists the files that a Worker was bundled from, relative to the project. */
function bundleInputs(config: string): string[] {
  const name = Object.entries(WORKERS).find(([, worker]) => worker.config === config)![0];
  const { inputs } = JSON.parse(readFileSync(join('dist', name, 'inputs.json'), 'utf8')) as {
    inputs: Record<string, unknown>;
  };
  // Names with a colon are virtual modules of the bundler, not files.
  return Object.keys(inputs)
    .filter((file) => !file.includes(':'))
    .map((file) => normalize(join(dirname(config), file)));
}

/**
 * Returns the folder of the package that a file belongs to, or `undefined` if the file belongs to the
 * project.
 */
function packageFolder(file: string): string | undefined {
  const start = file.lastIndexOf('node_modules/');
  if (start < 0) return undefined;
  const inside = start + 'node_modules/'.length;
  return file.slice(0, inside) + packageName(file.slice(inside));
}

/**
 * Returns the packages of the fonts and WebAssembly modules that a source file imports. wrangler copies these
 * files and does not list them as inputs.
 */
function externalPackages(file: string): string[] {
  if (!existsSync(file)) return [];
  return [...readFileSync(file, 'utf8').matchAll(EXTERNAL_FILE)].flatMap(([, target]) => {
    const path = target!.startsWith('.') ? normalize(join(dirname(file), target!)) : `node_modules/${target}`;
    return packageFolder(path) ?? [];
  });
}

function readNotice(folder: string): Notice {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    name: string;
    version: string;
    license?: string | { type: string };
  };
  const stated = typeof license === 'object' ? license.type : license;
  const text = readLicenseFiles(folder);
  if (!stated && text === '') throw new Error(`The package in ${folder} does not name a licence.`);
  return { title: `${name} ${version}`, license: stated ?? 'see the text', text };
}

function readLicenseFiles(folder: string): string {
  const files = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && LICENSE_FILE.test(entry.name))
    .map(({ name }) => name);
  return files
    .toSorted()
    .map((file) => readFileSync(join(folder, file), 'utf8').trim())
    .join('\n\n');
}

/**
 * Reads the licences of data that the project's own files were generated from. They are stored next to these
 * files.
 */
function readDataNotices(folder: string): Notice[] {
  return readdirSync(folder)
    .filter((file) => LICENSE_FILE.test(file))
    .map((file) => ({
      title: `data in ${folder}`,
      license: basename(file, '.txt').replace(/^licen[cs]e-?/i, '') || 'see the text',
      text: readFileSync(join(folder, file), 'utf8').trim(),
    }));
}

function consoleNotices(): Notice[] {
  const packages = JSON.parse(readFileSync(CONSOLE_NOTICES, 'utf8')) as {
    name: string;
    version: string;
    identifier?: string | null;
    text?: string | null;
  }[];
  return packages.map(({ name, version, identifier, text }) => ({
    title: `${name} ${version}`,
    license: identifier ?? 'see the text',
    text: text?.trim() ?? '',
  }));
}
