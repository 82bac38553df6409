/** The model's text as it comes, for a person who watches it come. @module */
import { PrintableStream } from "../kit/printable.ts";
import type { Screen } from "./screen.ts";
import type { World } from "./world.ts";

/**
 * Writes text to the terminal on stdout piece by piece. Into a pipe only the answer goes, and whether
 * a text is the answer is known when its turn has ended; so there is nothing live about a pipe.
 */
export class Live {
  readonly #world: World;
  readonly #screen: Screen;
  #stream = new PrintableStream();
  /** Whether the last thing written was not the end of a line. */
  #open = false;
  /** Whether this turn has written anything. */
  shown = false;

  constructor(world: World, screen: Screen) {
    this.#world = world;
    this.#screen = screen;
  }

  async text(piece: string): Promise<void> {
    await this.#write(this.#stream.push(piece));
  }

  /** Ends the line of the text, so that what comes next begins its own. */
  async rest(): Promise<void> {
    await this.#write(this.#stream.end());
    if (this.#open) await this.#world.out.answer("\n");
    this.#open = false;
    this.#screen.release();
  }

  /** A new turn begins. */
  async next(): Promise<void> {
    await this.rest();
    this.shown = false;
  }

  async #write(text: string): Promise<void> {
    // White space before the first word would only push the answer down.
    const shown = this.shown ? text : text.trimStart();
    if (shown === "") return;
    if (!this.shown) await this.#screen.flush();
    this.shown = true;
    this.#open = !shown.endsWith("\n");
    this.#screen.hold(); // A line of ours in the middle of one of the text would tear both.
    await this.#world.out.answer(shown);
    if (!this.#open) this.#screen.release();
  }
}
