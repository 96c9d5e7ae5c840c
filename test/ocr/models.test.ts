import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { findMissingLanguages } from '#ocr/languages.ts';
import { describeInstallation, listInstalledModels, loadModel } from '#ocr/models.ts';

const model = gzipSync('a model');
const files: Record<string, Uint8Array | string> = {
  'models.json': JSON.stringify({
    eng: createHash('sha256').update(model).digest('hex'),
    deu: createHash('sha256').update('another file').digest('hex'),
  }),
  'eng.traineddata.gz': model,
  'deu.traineddata.gz': model,
};
const assets = {
  fetch: async (url: string) => {
    const file = files[new URL(url).pathname.slice(1)];
    return file === undefined ? new Response(null, { status: 404 }) : new Response(Buffer.from(file));
  },
} as unknown as Fetcher;

describe('OCR models', () => {
  it('are listed and unpacked', async () => {
    expect(await listInstalledModels(assets)).toEqual(['eng', 'deu']);
    expect(new TextDecoder().decode(await loadModel(assets, 'eng'))).toBe('a model');
  });

  it('are rejected if the file differs from its checksum or is missing', async () => {
    await expect(loadModel(assets, 'deu')).rejects.toThrow('damaged');
    await expect(loadModel(assets, 'fra')).rejects.toThrow('404');
  });

  it('name the packages to install for languages without a model', () => {
    expect(findMissingLanguages(['de', 'th', 'tab'], ['deu'])).toEqual(['th', 'tab']);
    const advice = describeInstallation(['th', 'tab']);
    expect(advice).toContain('npm install @tesseract.js-data/tha');
    expect(advice).toContain('no model for tab');
  });
});
