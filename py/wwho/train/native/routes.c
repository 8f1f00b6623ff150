/* What has been counted, by route. */

/* Add word number `word` to the route that its text takes alone. A sign that several scripts share takes a script's route only
 * beside that script's letters; alone it goes to a route that is not SGPE's. */
static void add_to_route(const wwho_words *words, const wwho_model *model, size_t word, wwho_route_info *routes) {
    unit_reader reader;
    uint64_t n_units, count = words->entries[word].count;
    size_t size;
    open_record(record_at(words, word), words->arena + words->used, &reader, &n_units, &size);
    size_t length = size - (size_t)(reader.text - record_at(words, word)), start;
    uint32_t route, rule = WWHO_SYLLABLE;
    wwho_cursor segment = start_at(&model->classes, reader.text, 0, length);
    do {
        start = segment.at;
        next_segment(model, &segment, &route);
    } while (segment.at < length && !model->routes[route].units);
    wwho_route_info *info = &routes[route];
    info->n_words++;
    info->total += count;
    info->bytes += count * length;
    if (!model->routes[route].units) return;
    if (n_units == 1) { /* else all are syllables */
        wwho_cursor unit = start_within(&model->classes, &segment, start, segment.at);
        scan_piece(&model->classes, model->routes[route].units, &unit, &rule);
    }
    if (rule == WWHO_SYLLABLE) info->syllables += n_units * count;
}

int wwho_words_routes(const wwho_words *words, const wwho_model *model, wwho_route_info *routes) {
    if (!words || !model || !routes) return WWHO_ARGUMENT;
    memset(routes, 0, model->info.n_routes * sizeof *routes);
    for (size_t word = 0; word < words->n; word++) add_to_route(words, model, word, routes);
    return WWHO_OK;
}
