import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { buildPdf, text } from '../../../test/fixtures/pdf.ts';
import { GatedModel } from '../../../test/process/gated-model.ts';
import { SyncClient } from '../../../test/process/pipelines.ts';
import { Service } from '../../../test/process/service.ts';
import { launch, type Visit, visit } from './browser.ts';

const MANUAL = buildPdf({
  pages: [
    { content: text(72, 720, 'The Corran lighthouse was built by Matilda Oyelaran in 1931.') },
    { content: text(72, 650, 'The Ardgour quay is nine metres long.') },
  ],
});

export const QUESTION = 'Who built the Corran lighthouse?';
export const ANSWER = 'Matilda Oyelaran built the Corran lighthouse [1].';

/** Page of a console whose service uses a model that the test controls, and has an index of a manual. */
class ChatPage {
  readonly model = new GatedModel();
  service!: Service;
  /** Id of the index "Harbour", which contains the manual. */
  index!: string;
  /** Id of the file `harbour-manual.pdf`. */
  file!: string;
  visitor!: Visit;
  #browser: Browser | undefined;

  async start(): Promise<void> {
    this.service = new Service({
      LLM_BASE_URL: await this.model.start(),
      LLM_MODEL: 'gated-1',
      LLM_API_KEY: 'key',
      CHAT_RESUME_SECONDS: '300',
    });
    await this.service.start();
    this.#browser = await launch();
    const pipelines = new SyncClient(this.service);
    this.index = await pipelines.createPipeline({
      name: 'Harbour',
      transform_config: {
        mode: 'advanced',
        segmentation_config: { mode: 'page' },
        chunking_config: { mode: 'sentence', chunk_size: 200, chunk_overlap: 0 },
      },
    });
    this.file = await this.service.upload('harbour-manual.pdf', new Uint8Array(MANUAL));
    await this.service.call('PUT', `/api/v1/pipelines/${this.index}/files`, [{ file_id: this.file }]);
    expect((await pipelines.sync(this.index)).status).toBe('SUCCESS');
  }

  async stop(): Promise<void> {
    await this.#browser?.close();
    this.model.stop();
    await this.service?.end();
  }

  /** Opens a new page. The page of an earlier visit must have ended. */
  async visit(options: Parameters<typeof visit>[2] = {}): Promise<void> {
    this.visitor = await visit(this.#browser!, this.service, options);
  }

  get page(): Page {
    return this.visitor.page;
  }

  /** Opens the chat of the index. */
  async open(): Promise<void> {
    await this.visitor.open(`/indexes/${this.index}/chat`);
  }

  log() {
    return this.page.getByRole('log', { name: 'Conversation' });
  }

  regenerate() {
    return this.page.getByRole('button', { name: 'Regenerate' });
  }

  async ask(question: string): Promise<void> {
    const field = this.page.getByRole('textbox', { name: 'Question' });
    await field.fill(question);
    await field.press('Enter');
  }

  /** Answers the next question with a complete stream of these pieces of text. */
  async answer(...said: string[]): Promise<void> {
    const next = await this.model.next();
    for (const each of said) next.say(each);
    next.end();
  }

  /** Returns whether the text box with this name has the focus. */
  isFocused(name: string): Promise<boolean> {
    return this.page.getByRole('textbox', { name }).evaluate((element) => element === document.activeElement);
  }
}

/** Starts the service before all tests of the calling file, and opens a new page before each test. */
export function setUpChatPage(): ChatPage {
  const chat = new ChatPage();
  beforeAll(() => chat.start(), 240_000);
  afterAll(() => chat.stop());
  beforeEach(async () => {
    // A failed test may have left a question unanswered, or waited for one that was never asked.
    chat.model.forget();
    await chat.visit();
  });
  afterEach(() => chat.visitor.end());
  return chat;
}
