/** What the page does: plain JavaScript of one scope, built of parts that each know one thing. @module */
import { BREAKER_SCRIPT } from "./script/breaker.ts";
import { DOM_SCRIPT } from "./script/dom.ts";
import { FEED_SCRIPT } from "./script/feed.ts";
import { SPARK_SCRIPT } from "./script/spark.ts";
import { STREAM_SCRIPT } from "./script/stream.ts";
import { TABLES_SCRIPT } from "./script/tables.ts";
import { VIEW_SCRIPT } from "./script/view.ts";
import { WORDS_SCRIPT } from "./script/words.ts";

const PARTS = [
  DOM_SCRIPT,
  WORDS_SCRIPT,
  SPARK_SCRIPT,
  BREAKER_SCRIPT,
  FEED_SCRIPT,
  TABLES_SCRIPT,
  VIEW_SCRIPT,
  STREAM_SCRIPT,
];

export const SCRIPT = `(() => {\n"use strict";\n${PARTS.join("\n")}\n})();\n`;
