import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import chromium from '@sparticuz/chromium';
import { type Browser, chromium as engine } from 'playwright-core';

/**
 * Environment in which the package unpacks its libraries. It does so only on the platform for which it was
 * made.
 */
const MADE_FOR = { AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs22.x' };

const FOLDER = join(tmpdir(), 'sluice-chromium-153.0.0');

/**
 * Unpacks the browser and its libraries once per machine. An interrupted attempt leaves no folder that looks
 * complete.
 */
async function unpacked(): Promise<string> {
  if (existsSync(FOLDER)) return FOLDER;
  const own = `${FOLDER}-${process.pid}`;
  mkdirSync(own, { recursive: true });
  const before = { TMPDIR: process.env.TMPDIR, AWS_EXECUTION_ENV: process.env.AWS_EXECUTION_ENV };
  Object.assign(process.env, MADE_FOR, { TMPDIR: own });
  try {
    await chromium.executablePath();
  } finally {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
  try {
    renameSync(own, FOLDER);
  } catch {
    // Another process has unpacked the browser in the meantime.
    rmSync(own, { recursive: true, force: true });
  }
  return FOLDER;
}

/**
 * Launches the headless Chromium of the project's packages. The package's default arguments are not used,
 * because they disable web security. If the machine has no system libraries for a browser, the package's
 * libraries are used.
 */
export async function launch(): Promise<Browser> {
  const folder = await unpacked();
  const options = { executablePath: join(folder, 'chromium'), args: [], headless: true };
  try {
    return await engine.launch(options);
  } catch (error) {
    if (!/shared librar/.test(String(error))) throw error;
    const env = { ...process.env, LD_LIBRARY_PATH: join(folder, 'al2023', 'lib') };
    return engine.launch({ ...options, env: env as Record<string, string> });
  }
}
