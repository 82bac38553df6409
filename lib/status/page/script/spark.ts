/** A sparkline: how long the last calls took, and which were not answered. @module */

export const SPARK_SCRIPT = String.raw`
const SPARK = { width: 200, height: 38, edge: 4, points: 40 };

function drawSpark(picture, points) {
  const said = JSON.stringify(points);
  if (picture.dataset.said === said) return;
  picture.dataset.said = said;
  const answered = points.filter((ms) => ms !== null);
  const lost = points.length - answered.length;
  const most = Math.max(1, ...answered);
  const { width, height, edge } = SPARK;
  const x = (at) => edge + (at + SPARK.points - points.length) * (width - 2 * edge) / (SPARK.points - 1);
  const y = (ms) => height - edge - ms / most * (height - 2 * edge);
  const lines = [];
  let line = [];
  const marks = [];
  points.forEach((ms, at) => {
    if (ms !== null) return line.push(x(at).toFixed(1) + "," + y(ms).toFixed(1));
    marks.push(svg("path", { d: "M" + (x(at) - 2.5) + " " + (height - 9) + "l5 5m0 -5l-5 5" }));
    lines.push(line);
    line = [];
  });
  lines.push(line);
  picture.replaceChildren(
    ...lines.filter(({ length }) => length > 1).map((each) => svg("polyline", { points: each.join(" ") })),
    ...lines.filter(({ length }) => length === 1).map(([each]) => {
      const [cx, cy] = each.split(",");
      return svg("circle", { cx, cy, r: 1.8 });
    }),
    ...marks,
  );
  setAttribute(picture, "aria-label", points.length === 0
    ? "Latency: nothing was asked yet"
    : "Latency of the last " + count(points.length, "call") + " and checks" +
      (answered.length > 0 ? ", " + took(Math.min(...answered)) + " to " + took(most) : "") +
      (lost > 0 ? ", " + lost + " not answered" : ""));
}
`;
