import { describe, expect, it } from 'vitest';
import type { ReadingMode } from '#ocr/engine.ts';
import { type Gray, type Turns, turnPicture } from '#ocr/picture/gray.ts';
import type { Recogniser } from '#ocr/reading/attempt.ts';
import { readPicture } from '#ocr/reading/read-picture.ts';
import type { ReadWord } from '#ocr/table.ts';
import { line } from './words.ts';

const [WIDTH, HEIGHT] = [700, 600];

/** Draws lines of letters. Upright pages have a dark mark in the upper left corner. */
function drawPage(letterHeight = 16, turns: Turns = 0): Gray {
  const data = new Uint8Array(WIDTH * HEIGHT).fill(255);
  for (let y = 60; y < HEIGHT - 60; y += letterHeight * 3) {
    for (let x = 60; x < WIDTH - 60; x += letterHeight) {
      for (let row = 0; row < letterHeight; row++)
        data.fill(0, (y + row) * WIDTH + x, (y + row) * WIDTH + x + Math.floor(letterHeight * 0.6));
    }
  }
  return turnPicture({ width: WIDTH, height: HEIGHT, data }, turns);
}

/** Detects only the script. */
const detect = (installed: readonly string[]) => ({ installed, chooseModel: () => undefined });

interface Call {
  models: string;
  mode: ReadingMode;
  width: number;
}

/** Returns an engine that finds all lines of `drawPage`, with the confidence that `judge` returns. */
function record(judge: (call: Call, at: number) => number) {
  const calls: Call[] = [];
  const recogniser: Recogniser = {
    hasTime: async () => true,
    recognise: async ({ width }, mode, models) => {
      const call = { models, mode, width };
      calls.push(call);
      const confidence = judge(call, calls.length);
      const scale = width / WIDTH;
      const place = (word: ReadWord) => ({
        ...word,
        x: word.x * scale,
        y: word.y * scale,
        w: word.w * scale,
        h: word.h * scale,
      });
      return [
        Array.from({ length: 10 }, (_, at) =>
          line('all the letters of a line of the page that fill it up', 60, 63 + at * 48, confidence).map(
            place,
          ),
        ),
      ];
    },
  };
  return { calls, recogniser };
}

describe('readPicture', () => {
  it('does not recognize a blank picture', async () => {
    const { calls, recogniser } = record(() => 0.9);
    const blank = { width: 100, height: 100, data: new Uint8Array(10_000).fill(250) };
    expect(await readPicture(blank, recogniser, 'eng', detect(['eng']))).toMatchObject({
      isBlank: true,
      paragraphs: [],
    });
    expect(calls).toEqual([]);
  });

  it('reads once if the first reading is good', async () => {
    const { calls, recogniser } = record(() => 0.95);
    const { confidence } = await readPicture(drawPage(), recogniser, 'eng', detect(['eng', 'chi_sim']));
    expect(confidence).toBeCloseTo(0.95);
    expect(calls.filter(({ mode }) => mode.layout === 'auto')).toHaveLength(1);
    expect(calls.every(({ models }) => models === 'eng')).toBe(true);
  });

  it('enlarges small letters', async () => {
    const { calls, recogniser } = record(() => 0.95);
    await readPicture(drawPage(6), recogniser, 'eng', detect(['eng']));
    expect(calls[0]!.width).toBeGreaterThan(2 * WIDTH);
  });

  it('does not read a page that is turned by a quarter in its wrong position', async () => {
    const { calls, recogniser } = record((_, at) => (at === 1 ? 0.3 : 0.95));
    const { turns } = await readPicture(drawPage(16, 1), recogniser, 'eng', detect(['eng']));
    expect([1, 3]).toContain(turns);
    // The first two calls read a sample in the two possible positions.
    expect(calls.slice(0, 2).every(({ mode }) => mode.layout === 'block')).toBe(true);
  });

  it('tries the scripts of the installed models if the confidence is low', async () => {
    const { recogniser } = record(({ models }) => (models === 'ukr' ? 0.9 : 0.3));
    const installed = ['eng', 'chi_sim', 'ukr', 'kor'];
    expect(await readPicture(drawPage(), recogniser, 'eng', detect(installed))).toMatchObject({
      models: 'ukr',
    });
  });

  it('keeps to the models that the caller chose', async () => {
    const { calls, recogniser } = record(() => 0.3);
    await readPicture(drawPage(), recogniser, 'deu');
    expect(new Set(calls.map(({ models }) => models))).toEqual(new Set(['deu']));
  });

  it('reads a doubtful page with further layouts and local thresholds', async () => {
    const { calls, recogniser } = record((_, at) => 0.6 + at * 0.05);
    await readPicture(drawPage(), recogniser, 'eng', detect(['eng']));
    expect(calls.map(({ mode }) => `${mode.layout} ${mode.threshold}`)).toEqual([
      'auto global',
      'block local',
      'block global',
      'column local',
    ]);
  });

  it('keeps the first reading if the engine fails at a further one', async () => {
    const { recogniser } = record((_, at) => {
      if (at > 1) throw new Error('out of memory');
      return 0.7;
    });
    expect(await readPicture(drawPage(), recogniser, 'eng', detect(['eng']))).toMatchObject({ turns: 0 });
  });

  it('ends if another way of reading finds hardly more text', async () => {
    const { calls, recogniser } = record(() => 0.7);
    await readPicture(drawPage(), recogniser, 'eng', detect(['eng']));
    expect(calls).toHaveLength(2);
  });

  it('reads a picture that cannot be read in one other way only', async () => {
    const { calls, recogniser } = record(() => 0.2);
    await readPicture(drawPage(), recogniser, 'eng');
    expect(calls.filter(({ width }) => width >= WIDTH)).toHaveLength(2);
  });

  /** Allows further readings until a number of pictures has been read. */
  const stopAfter = (count: number, { calls, recogniser }: ReturnType<typeof record>): Recogniser => ({
    ...recogniser,
    hasTime: async () => calls.length < count,
  });

  it('starts no further reading after its time has run out', async () => {
    const recorded = record(() => 0.7);
    await readPicture(drawPage(), stopAfter(1, recorded), 'eng');
    expect(recorded.calls).toHaveLength(1);
  });

  it('reads no sample after its time has run out', async () => {
    const recorded = record(() => 0.3);
    const installed = ['eng', 'chi_sim', 'ukr', 'ara'];
    await readPicture(drawPage(), stopAfter(3, recorded), 'eng', detect(installed));
    expect(recorded.calls).toHaveLength(3);
  });

  it('keeps the upright reading if there is no time to read in a better position', async () => {
    // The first call reads the page, and the next ones read a sample upright and upside down.
    const recorded = record((_, at) => (at === 3 ? 0.9 : 0.3));
    const { turns, confidence } = await readPicture(drawPage(), stopAfter(3, recorded), 'eng');
    expect(recorded.calls).toHaveLength(3);
    expect([turns, confidence]).toEqual([0, expect.closeTo(0.3)]);
  });

  it('keeps the first language if there is no time for another one', async () => {
    const recorded = record(() => 0.87);
    const german = { installed: ['eng', 'deu'], chooseModel: () => 'deu' };
    const reading = readPicture(drawPage(), stopAfter(1, recorded), 'eng', german);
    expect(await reading).toMatchObject({ models: 'eng' });
    expect(recorded.calls).toHaveLength(1);
  });

  it('asks whether there is time for as many pixels as it reads next', async () => {
    const { calls, recogniser } = record(() => 0.7);
    const asked: number[] = [];
    const hasTime = async (pixels: number) => asked.push(pixels) > 0;
    await readPicture(drawPage(), { ...recogniser, hasTime }, 'eng');
    const { width } = calls[1]!;
    expect(Math.round(asked[0]!)).toBeCloseTo(width * width * (HEIGHT / WIDTH), -4);
  });

  it('limits the work on a picture that cannot be read', async () => {
    const { calls, recogniser } = record(() => 0.2);
    const installed = ['eng', 'chi_sim', 'ukr', 'ara', 'jpn', 'kor', 'hin', 'heb', 'ell', 'tha'];
    await readPicture(drawPage(), recogniser, 'eng', detect(installed));
    expect(calls.length).toBeLessThanOrEqual(1 + 14 + 1);
  });

  it('reads a large doubtful picture reduced, and returns words with their places in the picture', async () => {
    const [width, height] = [2 * WIDTH, 2 * HEIGHT];
    const { data } = drawPage();
    const large = new Uint8Array(width * height);
    for (let at = 0; at < large.length; at++) {
      const [x, y] = [Math.floor((at % width) / 2), Math.floor(at / width / 2)];
      large[at] = data[y * WIDTH + x]!;
    }
    const { recogniser } = record(({ mode }, at) => (at > 1 && mode.layout === 'auto' ? 0.9 : 0.3));
    const { paragraphs, confidence } = await readPicture({ width, height, data: large }, recogniser, 'eng');
    expect(confidence).toBeCloseTo(0.9);
    expect(Math.abs(paragraphs[0]![0]![0]!.x - 120)).toBeLessThan(4);
  });

  it('keeps the size of letters that are somewhat larger than usual', async () => {
    const { calls, recogniser } = record(() => 0.95);
    await readPicture(drawPage(22), recogniser, 'eng', detect(['eng']));
    expect(calls[0]!.width).toBe(WIDTH);
  });

  it('enlarges pictures by a factor of three at most', async () => {
    const { calls, recogniser } = record(() => 0.95);
    await readPicture(drawPage(5), recogniser, 'eng', detect(['eng']));
    expect(calls[0]!.width).toBe(3 * WIDTH);
  });

  it('tries no further scripts if the sample is read well enough', async () => {
    const { calls, recogniser } = record(() => 0.52);
    await readPicture(drawPage(), recogniser, 'eng', detect(['eng', 'chi_sim', 'ukr']));
    expect(new Set(calls.map(({ models }) => models))).toEqual(new Set(['eng']));
  });

  it('tries no other position of a picture with few letters', async () => {
    const { calls, recogniser } = record(() => 0.3);
    const few = drawPage();
    few.data.fill(255, 90 * WIDTH);
    for (let y = 60; y < 90; y++) few.data.fill(255, y * WIDTH + 200, (y + 1) * WIDTH);
    await readPicture(few, recogniser, 'eng', detect(['eng', 'chi_sim']));
    expect(calls.filter(({ models }) => models !== 'eng')).toEqual([]);
  });

  it('finds the lines of upright pictures only', async () => {
    const ruled = (turns: Turns) => {
      const page = drawPage();
      for (const y of [40, 570]) page.data.fill(0, y * WIDTH + 50, y * WIDTH + 650);
      return turnPicture(page, turns);
    };
    const { recogniser } = record(() => 0.95);
    expect((await readPicture(ruled(0), recogniser, 'eng')).rules).toHaveLength(2);
    expect((await readPicture(ruled(1), recogniser, 'eng')).rules).toEqual([]);
  });

  it('keeps the upright reading if another position has less text', async () => {
    // The first call reads the page, and the next ones read a sample upright and upside down.
    const recorded = record((_, at) => (at === 3 ? 0.9 : at === 1 ? 0.45 : 0.3));
    expect(await readPicture(drawPage(), recorded.recogniser, 'eng')).toMatchObject({ turns: 0 });
  });

  it('reads again with the model of the language that the text has', async () => {
    const { calls, recogniser } = record(({ models }) => (models === 'deu' ? 0.95 : 0.87));
    const german = { installed: ['eng', 'deu'], chooseModel: () => 'deu' };
    expect(await readPicture(drawPage(), recogniser, 'eng', german)).toMatchObject({ models: 'deu' });
    expect(calls.map(({ models }) => models)).toEqual(['eng', 'deu']);
  });

  it('keeps the first reading if the model of the detected language reads less', async () => {
    const { recogniser } = record(({ models }) => (models === 'deu' ? 0.6 : 0.9));
    const german = { installed: ['eng', 'deu'], chooseModel: () => 'deu' };
    expect(await readPicture(drawPage(), recogniser, 'eng', german)).toMatchObject({ models: 'eng' });
  });
});
