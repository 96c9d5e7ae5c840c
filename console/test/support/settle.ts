import type { Page } from 'playwright-core';

/**
 * Waits until the styles of the page are final. Colours that change in a transition are neither the old nor the new
 * ones. One transition can start another, such as the inherited colour of a child. Endless animations are ignored.
 */
export async function settle(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const MAX_ROUNDS = 50;
    const listRunning = () =>
      document.getAnimations().filter((animation) => {
        const { endTime } = animation.effect?.getComputedTiming() ?? {};
        return animation.playState === 'running' && endTime !== Number.POSITIVE_INFINITY;
      });
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      // A style that has changed starts its transition in the next frame.
      for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
      const running = listRunning();
      if (running.length === 0) return;
      await Promise.allSettled(running.map(({ finished }) => finished));
    }
  });
}
