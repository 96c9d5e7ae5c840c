import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

/** Durable Object classes in the configuration. wrangler rejects an entry point without them. */
const CLASSES = new Set(
  [...readFileSync('wrangler.toml', 'utf8').matchAll(/class_name = "(\w+)"/g)].map(([, name]) => name!),
);

const SERVICE = `import { DurableObject } from 'cloudflare:workers';
${[...CLASSES].map((name) => `export class ${name} extends DurableObject {}`).join('\n')}
export default { fetch: () => new Response('service'), queue() {} };
`;

const worker = (says: string) => `export default { fetch: () => new Response('${says}') };\n`;

/**
 * Project with the real configurations and migrations but little code, so that wrangler bundles it quickly.
 */
export class SmallProject {
  readonly folder = mkdtempSync(join(tmpdir(), 'sluice-deploy-'));

  /** Creates a new project, or a copy of another one. */
  constructor(original?: SmallProject) {
    if (original) cpSync(original.folder, this.folder, { recursive: true, preserveTimestamps: true });
    else this.#create();
  }

  #create(): void {
    for (const name of ['wrangler.toml', 'parser/wrangler.toml', 'ocr/wrangler.toml', 'migrations']) {
      cpSync(name, join(this.folder, name), { recursive: true });
    }
    this.write('package.json', '{ "name": "small", "version": "1.0.0" }');
    this.release('1.0.0', '1.0.0');
    this.write('src/index.ts', SERVICE);
    this.write('parser/worker.ts', worker('parser'));
    this.write('ocr/worker.ts', worker('ocr'));
    this.write('public/robots.txt', 'User-agent: *\n');
    this.write('ocr/public/models.json', '{}\n');
  }

  write(path: string, content: string): void {
    const file = resolve(this.folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }

  read(path: string): string {
    return readFileSync(resolve(this.folder, path), 'utf8');
  }

  release(release: string, readableBy: string): void {
    this.write(
      'release.json',
      JSON.stringify({ release, readableBy, because: 'Rows are written otherwise.' }),
    );
  }

  changeParser(): void {
    this.write('parser/worker.ts', worker('another parser'));
  }

  forget(path: string): void {
    rmSync(join(this.folder, path));
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
