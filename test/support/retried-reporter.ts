import type { Reporter, TestCase } from 'vitest/node';

/** Says at the end of a run which tests failed at first, and why: they passed only when they were run once more. */
export class RetriedReporter implements Reporter {
  readonly #retried: string[] = [];

  onTestCaseResult(test: TestCase): void {
    if (!test.diagnostic()?.flaky) return;
    const reason = test.result().errors?.[0]?.message.split('\n')[0] ?? 'for no reason that is known';
    const place = `${test.project.name} ${test.module.relativeModuleId}`;
    this.#retried.push(`  ${place} > ${test.fullName}\n    at first: ${reason}`);
  }

  onTestRunEnd(): void {
    if (this.#retried.length === 0) return;
    console.log(
      `\nPassed when they were run once more: ${this.#retried.length}\n${this.#retried.join('\n')}`,
    );
  }
}
