import type { Page } from 'playwright-core';

interface Uploads {
  running: number;
  most: number;
}

/**
 * Counts the uploads that a page runs at the same time. Call this function before the page is opened. Returns a
 * function that reads the highest count.
 */
export async function countUploads(page: Page): Promise<() => Promise<number>> {
  await page.addInitScript(() => {
    const uploads: Uploads = { running: 0, most: 0 };
    Object.assign(window, { uploads });
    const { send } = XMLHttpRequest.prototype;
    XMLHttpRequest.prototype.send = function (body) {
      uploads.running += 1;
      uploads.most = Math.max(uploads.most, uploads.running);
      // This event precedes `load`, after which the console may begin the next upload.
      this.addEventListener('readystatechange', () => {
        if (this.readyState === XMLHttpRequest.DONE) uploads.running -= 1;
      });
      send.call(this, body);
    };
  });
  return () => page.evaluate(() => (window as unknown as { uploads: Uploads }).uploads.most);
}
