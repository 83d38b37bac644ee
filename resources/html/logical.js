const rows = [...document.querySelectorAll('#program tbody tr')];
const find = document.getElementById('find');
const depth = row => +row.dataset.depth;

function show() {
  const word = find.value;
  let hidden = Infinity;
  for (const row of rows) {
    const own = depth(row);
    if (own <= hidden) hidden = Infinity;
    row.hidden = word ? !row.dataset.found : own > hidden;
    if (!word && row.classList.contains('folded') && own < hidden) hidden = own;
  }
}

find.addEventListener('input', () => {
  const word = find.value.toLowerCase();
  for (const row of rows) delete row.dataset.found;
  rows.forEach((row, at) => {
    if (!word || !row.cells[1].textContent.toLowerCase().includes(word)) return;
    row.dataset.found = 1;
    let own = depth(row);
    for (let above = at - 1; above >= 0 && own > 0; above--) {
      if (depth(rows[above]) < own) {
        own = depth(rows[above]);
        rows[above].dataset.found = 1;
      }
    }
  });
  show();
});

for (const row of rows) {
  row.querySelector('.fold')?.addEventListener('click', () => {
    row.classList.toggle('folded');
    show();
  });
}

show();
