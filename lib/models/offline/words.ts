/** The few hundred words by which the offline model tells what a prompt asks and what a tool does. @module */

/** What a verb does, as far as tools go. */
export type Act =
  | "search"
  | "list"
  | "read"
  | "create"
  | "close"
  | "delete"
  | "update"
  | "move"
  | "copy"
  | "send"
  | "run"
  | "stop"
  | "set"
  | "calc"
  | "echo";

/** Acts that leave the world as it was: only these are ever guessed. */
export const HARMLESS: ReadonlySet<string> = new Set(["search", "list", "read", "calc", "echo"]);

const ACTS: Record<Act, string> = {
  search: "search find look lookup query locate seek grep hunt research discover " +
    "suche suchen finde finden buscar busca chercher cherche trouve trouver",
  list: "list enumerate browse liste listar lister",
  read:
    "read show get fetch display view print cat retrieve describe summarize summarise explain " +
    "tell check inspect see open give load download say extract return " +
    "lies lese lesen zeige zeigen leer muestra mostrar lire lis montre",
  create:
    "create add make new open file raise register record insert book schedule compose draft " +
    "generate write save store put append log note jot " +
    "erstelle erstellen schreibe crear crea escribe créer crée ajoute ajouter",
  close: "close resolve finish complete schließe schließen cerrar cierra fermer ferme",
  delete:
    "delete remove drop erase trash purge clear lösche löschen borrar elimina supprimer supprime",
  update: "update edit change modify rename replace assign mark patch adjust correct",
  move: "move rename transfer",
  copy: "copy duplicate clone",
  send: "send email mail post message notify publish reply share forward",
  run: "run execute invoke trigger launch perform start simulate",
  stop: "stop cancel abort kill terminate halt",
  set: "set toggle enable disable turn switch activate deactivate",
  calc: "calculate compute sum add plus total multiply subtract divide average convert count",
  echo: "echo repeat say",
};

/** Words of other scripts, told in the English of most tools. */
const ABROAD: Record<string, string> = {
  搜索: "search",
  搜: "search",
  查找: "search",
  查询: "search",
  寻找: "search",
  找: "find",
  検索: "search",
  探: "find",
  列出: "list",
  列表: "list",
  读: "read",
  读取: "read",
  阅读: "read",
  查看: "read",
  显示: "show",
  打开: "open",
  表示: "show",
  読: "read",
  添加: "add",
  增加: "add",
  新建: "create",
  创建: "create",
  新增: "create",
  写: "write",
  作成: "create",
  追加: "add",
  关闭: "close",
  关掉: "close",
  完成: "finish",
  删除: "delete",
  移除: "remove",
  削除: "delete",
  更新: "update",
  修改: "edit",
  发送: "send",
  运行: "run",
  执行: "run",
  计算: "calculate",
  重复: "repeat",
  笔记: "note",
  便签: "note",
  ノート: "note",
  メモ: "note",
  工单: "ticket",
  任务: "task",
  チケット: "ticket",
  文件: "file",
  ファイル: "file",
  目录: "directory",
  文件夹: "directory",
  天气: "weather",
  时间: "time",
  邮件: "email",
  消息: "message",
  标题: "title",
  正文: "body",
  内容: "content",
  优先级: "priority",
  notizen: "note",
  notiz: "note",
  notas: "note",
  nota: "note",
  datei: "file",
  dateien: "file",
  archivo: "file",
  fichier: "file",
};

/** Things that go by several names. */
const ALIKE = [
  "ticket issue bug task story",
  "meeting event appointment",
  "folder directory dir",
  "mail email message",
  "picture image photo screenshot",
  "repo repository project",
  "user person member contact",
  "page document doc note",
  "website site page url",
  "chat channel message",
].map((line) => line.split(" "));

const STOP = new Set(
  ("a an the this that these those my our your their his her its i me we us you they he she it " +
    "is are was were be been being am do does did done has have had will would can could should shall may might must " +
    "of to in on at by for from with without into onto about as than then and or but if so not no " +
    "please kindly just also too there here any some all every each both other another more most very " +
    "what which who whom whose where when why how s t re ll ve d m let lets want need like help " +
    "everywhere anywhere word regarding concerning named called titled using via per out up off over under again once now ok okay hey hi hello " +
    "many much say says said tell anything something everything thing " +
    "的 了 在 里 中 吗 呢 我 你 请 帮 帮我 把 关于 有 什么 说 给 和 与 到 从 一个 一下 是 一 个 条 用 " +
    "の を は が に で と も して ください た て " +
    "der die das ein eine einen und oder mit nach für von meine meinen im in zu el la los las un una y o con de del mis en le les et ou des du mes dans sur")
    .split(" "),
);

const QUESTION = new Set(
  ("what which who whom whose where when why how is are was were do does did has have had any anything " +
    "whats hows wheres whos 什么 哪 哪些 哪里 谁 怎么 如何").split(" "),
);

const acts = new Map<string, Set<Act>>();
for (const [act, words] of Object.entries(ACTS) as [Act, string][]) {
  for (const word of words.split(" ")) acts.set(word, (acts.get(word) ?? new Set()).add(act));
}
const abroad = new Map(Object.entries(ABROAD));

const NONE: ReadonlySet<Act> = new Set();

/** What a verb may mean, in any of its forms: `adding`, `closed`, `returns`. Empty for no verb of ours. */
export function actsOf(word: string): ReadonlySet<Act> {
  const lower = english(word);
  const forms = [
    lower,
    lower.replace(/s$/, ""),
    lower.replace(/es$/, ""),
    lower.replace(/(?:ing|ed)$/, ""),
    lower.replace(/(?:ing|ed)$/, "e"),
    lower.replace(/(.)\1(?:ing|ed)$/, "$1"),
  ];
  for (const form of forms) {
    const found = acts.get(form);
    if (found) return found;
  }
  return NONE;
}

/** The English of a word we know in another language; else the word in lower case. */
export function english(word: string): string {
  const lower = word.toLowerCase();
  return abroad.get(lower) ?? lower;
}

/** Whether a word is an order as it stands (`find`, not `finding` or `found`). */
export function isOrder(word: string): boolean {
  return acts.has(english(word));
}

export function isStop(word: string): boolean {
  return STOP.has(word.toLowerCase());
}

export function isQuestionWord(word: string): boolean {
  return QUESTION.has(word.toLowerCase());
}

/** Other words for a thing. */
export function alike(noun: string): string[] {
  return ALIKE.filter((line) => line.includes(noun)).flat().filter((word) => word !== noun);
}
