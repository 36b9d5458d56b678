// Searches a file in parts, each a process of its own, and joins their rows.
//
//     nextflow run main.nf --file genome.fa --parts 16 --options '-k 3 -f /data/guides.txt'

params.parts = 8

process search {
    cpus 4
    errorStrategy 'retry'
    maxRetries 3

    input:
    tuple val(part), path(file)

    output:
    path "${String.format('%06d', part)}.tsv"

    // The status 1 says that the part has no hit. The search fails if the file has another size than the given one.
    script:
    """
    nigh --threads ${task.cpus} ${params.options} --shard ${part}/${params.parts}:${file.size()} ${file} \
        > ${String.format('%06d', part)}.tsv || [ \$? -eq 1 ]
    """
}

workflow {
    parts = Channel.of(1..params.parts).map { part -> tuple(part, file(params.file)) }
    search(parts).collectFile(name: 'hits.tsv', storeDir: '.', sort: { it.name })
}
